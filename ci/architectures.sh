# Sourced after lib.sh: the processors that evictd is built for, and how.
# shellcheck disable=SC2034

architectures=(x86_64 aarch64 armv7 riscv64 i686)

# Debian's packages of other architectures are unpacked here, a folder an architecture.
foreign=target/foreign

# architecture ARCH: sets what it is called elsewhere, and where the musl for it lies; false
# where there is none of that name.
#
#   arch    our name for it: ARCH
#   debian  Debian's name for it        gnu    the prefix of Debian's C compiler for it
#   rust    Rust's target               suite  Debian's release, where it is not this machine's
#   emulator   what runs its programs here, empty where the processor does
#   machine    where ci/vm finds the kernel of its virtual machine, and keeps its logs
architecture() {
  suite='' emulator=qemu-$1-static
  case "$1" in
    x86_64) debian=amd64 gnu=x86_64-linux-gnu rust=x86_64-unknown-linux-musl musl=x86_64-linux-musl emulator='' ;;
    aarch64) debian=arm64 gnu=aarch64-linux-gnu rust=aarch64-unknown-linux-musl musl=aarch64-linux-musl ;;
    armv7) debian=armhf gnu=arm-linux-gnueabihf rust=armv7-unknown-linux-musleabihf musl=arm-linux-musleabihf emulator=qemu-arm-static ;;
    riscv64) debian=riscv64 gnu=riscv64-linux-gnu rust=riscv64gc-unknown-linux-musl musl=riscv64-linux-musl ;;
    i686) debian=i386 gnu=i686-linux-gnu rust=i686-unknown-linux-musl musl=i386-linux-musl emulator='' ;;
    *) return 1 ;;
  esac
  arch=$1
  compiler=$gnu-gcc
  machine=target/vm
  musl=/usr/lib/$musl
  [ "$1" = x86_64 ] || musl=$root/$foreign/$debian$musl machine=target/vm-$1
}

# compile SOURCE OUTPUT: a static program in C for the architecture that was set, with musl.
compile() {
  local headers=${musl/lib/include}
  "$compiler" -static -Os -s -Wall -Wextra -Werror -nostdinc -isystem "$headers" \
    -isystem "$("$compiler" -print-file-name=include)" -nostartfiles \
    "$musl/crt1.o" "$musl/crti.o" "$1" -L"$musl" -nodefaultlibs \
    -Wl,--start-group -lc -lgcc -lgcc_eh -Wl,--end-group "$musl/crtn.o" -o "$2"
}

# static_cargo COMMAND ARGUMENT...: cargo for the architecture that was set, so that programs
# are linked statically with musl. Sets EVICTD_STD to whose standard library it took: ready
# is that of rustup's target, source is built from Debian's sources.
static_cargo() {
  # Where cargo keeps the sources of crates: panics name their files.
  cargo_home=${CARGO_HOME:-$HOME/.cargo}
  flags=(
    -C target-feature=+crt-static
    # As .cargo/config.toml says, which these replace.
    -C force-unwind-tables=no
    "--remap-path-prefix=$cargo_home/registry/src="
    "--remap-path-prefix=$root/="
  )
  case "${EVICTD_STD:=$(choose_std)}" in
    ready) has_ready_std || die "no ready-made std: run rustup target add $rust"; with_ready_std "$@" ;;
    source) has_debian_std || die "no sources of std: run ci/install"; with_source "$@" ;;
    *) usage_error "EVICTD_STD=$EVICTD_STD: ready or source" ;;
  esac
}

has_ready_std() { have rustc && [ -d "$(rustc --print sysroot)/lib/rustlib/$rust/lib" ]; }
choose_std() {
  if has_ready_std; then
    printf ready
  elif has_debian_std; then
    printf source
  else
    die "no standard library for $rust: run rustup target add $rust, or ci/install (Debian)"
  fi
}

# Cargo takes flags with spaces in this form only: separated by the byte 0x1f.
join_flags() { local IFS=$'\x1f'; printf '%s' "$*"; }

with_ready_std() {
  local command=$1
  shift
  need_cargo
  CARGO_ENCODED_RUSTFLAGS=$(join_flags "${flags[@]}") cargo "$command" --target "$rust" "$@"
}

# rustup's target brings a musl and an unwinder; Debian's compiler has neither, so its C
# compiler links with musl's own start files. std is built as evictd is, and without what
# prints backtraces, which has no symbols to print.
with_source() {
  local command=$1 native=$root/target/static/build/native/$arch text=text
  shift
  need "$compiler" ar
  [ -s "$musl/libc.a" ] || die "$musl/libc.a is missing: run ci/install (for riscv64: ci/install --release)"
  mkdir -p "$native"
  # std asks for libunwind, gcc's is in libgcc_eh. That asks glibc where the tables of a
  # function are, and musl does not know the question: -1 is glibc's "nowhere". It would
  # be asked for a backtrace only; without symbols there is nothing to name in one, and
  # as panics abort, nothing unwinds.
  ln -sf "$("$compiler" -print-file-name=libgcc_eh.a)" "$native/libunwind.a"
  "$compiler" -x c -O2 -c -o "$native/instead.o" - <<'C'
int _dl_find_object(void);
int _dl_find_object(void) { return -1; }
C
  # The linker of binutils 2.40 makes room for relocations of thread-local variables in code
  # for riscv64, finds that it needs none, and takes the room for relocations.
  [ "$arch" != riscv64 ] || text=notext
  flags+=(
    "--remap-path-prefix=$debian_std/=library/"
    -C link-self-contained=no -C "linker=$compiler"
    -L "native=$native" -L "native=$musl"
    # Not -static-pie, which gcc knows on some architectures only; and constants apart
    # from code, as it is the default on some.
    -C "link-args=-Wl,-pie,--no-dynamic-linker,-z,$text,-z,separate-code"
    # First of all, as the linker takes its conventions from the first object.
    -Z "pre-link-args=-nostartfiles $musl/rcrt1.o $musl/crti.o $native/instead.o"
    -C "link-args=-Wl,--start-group $musl/libc.a -lgcc -lgcc_eh -Wl,--end-group $musl/crtn.o"
  )
  CARGO_ENCODED_RUSTFLAGS=$(join_flags "${flags[@]}") debian_cargo "$command" --target "$rust" \
    "-Zbuild-std=std,$(panics "$command")" -Zbuild-std-features= "$@"
}
# The release's profile aborts, others unwind.
panics() { case "$1" in build) printf panic_abort ;; *) printf panic_unwind ;; esac; }
