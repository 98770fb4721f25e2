# Sourced by the scripts beside it: where things are, and how they speak.
# Nothing here runs a tool.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Its name below ci, as bench/soak.
script=$(realpath --no-symlinks --relative-to="$root/ci" "$0")
cd "$root"

# Tests compare with the snapshots that are committed and never write any.
export INSTA_UPDATE=no

# What ci/build-static writes and most of the others run.
static_binary=target/static/x86_64/evictd

say() { printf '%s\n' "$*"; }

die() {
  printf '%s: %s\n' "$script" "$*" >&2
  exit 1
}

# A mistake in the call, not in what was called for.
usage_error() {
  printf '%s: %s; see %s --help\n' "$script" "$*" "ci/$script" >&2
  exit 2
}

# Prints the comment at the top of the calling script; so does each that is called with --help.
usage() { sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$root/ci/$script"; }
case "${1:-}" in
  -h | --help) usage; exit ;;
esac

have() { command -v "$1" >/dev/null 2>&1; }

# need TOOL... : every tool is there, or the script ends.
need() {
  local tool
  for tool in "$@"; do
    have "$tool" || die "$tool is missing: run ci/install"
  done
}

need_cargo() { have cargo || die "cargo is missing: install a Rust toolchain of 1.88 or later (rustup, or Debian's rustc-web and cargo-web)"; }

# In continuous integration: quicker to build without debug information. What is built once need
# not be prepared for being built again: a third less of a processor.
[ -z "${CI:-}" ] || export CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=0

# build_debug PACKAGE [OPTION...]: its programs, in target/debug. Under ci/test all is built at
# once, as for the tests: Cargo would choose other features of the dependencies for one package
# alone, and build them once more.
build_debug() {
  if [ -n "${EVICTD_BUILD_ALL:-}" ]; then
    cargo build -q --workspace --all-targets
  else
    cargo build -q --package "$@"
  fi
}

# elapsed_since START: seconds with a fraction since START, which was $EPOCHREALTIME.
elapsed_since() {
  local micros=$(( ${EPOCHREALTIME/[.,]/} - ${1/[.,]/} ))
  printf '%d.%06d' $((micros / 1000000)) $((micros % 1000000))
}

# Debian's rust-web-src is the source of std that its own compiler was built with: it
# gives a std for any target.
debian_std=/usr/lib/rustlib/src/rust/library
has_debian_std() { [ -x /usr/bin/rustc ] && [ -x /usr/bin/cargo ] && [ -f "$debian_std/Cargo.toml" ]; }
# -Z options on a stable compiler: the compiler's own switch for building std.
debian_cargo() { RUSTC_BOOTSTRAP=1 RUSTC=/usr/bin/rustc /usr/bin/cargo "$@"; }
