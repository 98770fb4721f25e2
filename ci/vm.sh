# Sourced by ci/scenario: virtual machines. Each scenario has one of its own, with the static
# evictd and the scenarios' programs in an initramfs where ci/vm-init is process 1; one with
# container runtimes runs from a disk, as runc cannot pivot_root on an initramfs. Root is not
# needed.
# shellcheck shell=bash

# The processor, whose name does not cost: one that can all is slow to emulate.
declare -A machine_of=(
  [x86_64]='qemu-system-x86_64 -cpu max'
  [aarch64]='qemu-system-aarch64 -machine virt -cpu cortex-a72'
  [aarch64-16k]='qemu-system-aarch64 -machine virt -cpu max,pauth=off'
  [armv7]='qemu-system-arm -machine virt -cpu cortex-a15'
)
[ -n "${machine_of[$processor]:-}" ] || usage_error "there is no machine with $processor: ${!machine_of[*]}"
architecture "${processor%-16k}"
console=ttyS0 busybox=busybox
if [ "$arch" != x86_64 ]; then
  machine=target/vm-$processor
  console=ttyAMA0
  busybox=$foreign/$debian/bin/busybox
  workloads=$workloads/$arch
fi
need ${machine_of[$processor]%% *} "$busybox" busybox cpio timeout mke2fs mkfs.xfs
[ -n "$kernel" ] || kernel=$machine/vmlinuz
modules=$(dirname "$kernel")/modules
[ -s "$kernel" ] && [ -d "$modules" ] || die "$kernel or $modules is missing: run ci/install"
[ -w "$machine" ] || die "$root/$machine is not writable: the logs go there"

# KVM as it is in some virtual machines stops Debian's kernels while they boot, or ends qemu
# (kvm_pvm). In a shell of its own, whose word on how qemu ended nobody needs.
kvm_boots() {
  [ "$processor" = x86_64 ] && [ -w /dev/kvm ] || return 1
  (timeout 2 ${machine_of[$processor]} -accel kvm -no-reboot -nodefaults -m 256 -kernel "$kernel" \
    -initrd "$scratch/initramfs" -append 'console=ttyS0 quiet panic=-1 scenario=none limit=60' \
    -display none -monitor none -serial stdio </dev/null >"$scratch/kvm.log" 2>&1
    true) 2>/dev/null
  has_booted "$scratch/kvm.log"
}

# What the disk of a machine with runtimes has: programs of packages that ci/install has put on
# this machine, and the libraries that these load. Each machine has its own copy.
root_image=
root_packages=(bash coreutils findutils grep sed tar util-linux mount jq curl
  containerd runc docker.io podman conmon)

# Whether one of these scenarios needs them.
need_runtimes() {
  local name
  for name; do ! is_on "$name" runtimes || return 0; done
  return 1
}

# furnish_tree TREE: what a machine has on each of its roots.
furnish_tree() {
  mkdir -p "$1/bin" "$1/scenarios" "$1/modules"
  cp "$(command -v "$busybox")" "$1/bin/busybox"
  copy_programs "$1/bin"
  cp ci/vm-init "$1/init"
  find "$scenarios" -maxdepth 1 -type f -exec cp {} "$1/scenarios/" ';'
  find "$modules" -type f -exec cp {} "$1/modules/" ';'
  chmod 755 "$1/init" "$1"/bin/*
}

# libraries_of FILE...: what they load.
libraries_of() { { ldd "$@" 2>/dev/null || true; } | grep -o '/lib[^ ]*' | grep -v ':$' | sort -u; }

build_root() {
  local tree=$scratch/root files
  need dpkg-query ldd containerd ctr runc dockerd podman conmon jq curl
  build_clients
  mkdir -p "$tree"/usr/{bin,lib,lib64} "$tree"/{dev,proc,run,sys,mnt,tmp,root,etc} "$tree"/var/{lib,tmp}
  ln -s bin "$tree/usr/sbin"
  ln -s usr/bin usr/sbin usr/lib usr/lib64 "$tree/"
  mapfile -t files < <(dpkg-query -L "${root_packages[@]}" | grep -E '^(/usr)?/s?bin/[^/]+$' |
    while read -r file; do [ ! -f "$file" ] || say "$file"; done)
  mapfile -t -O ${#files[@]} files < <(libraries_of "${files[@]}" "$programs"/*)
  cp --dereference --parents "${files[@]}" "$tree/"
  cp -r --parents /etc/containers /usr/share/containers "$tree/"
  furnish_tree "$tree"
  say 'root:x:0:0:root:/root:/bin/sh' >"$tree/etc/passwd"
  say 'root:x:0:' >"$tree/etc/group"
  say '127.0.0.1 localhost' >"$tree/etc/hosts"
  : >"$tree/etc/resolv.conf"
  root_image=$scratch/root.ext4
  make_disk "$root_image" ext4 2G -d "$tree"
  rm -rf "$tree"
}

# make_disks SCENARIO: and sets the array disks to qemu's options for them.
make_disks() {
  local name type size image options=()
  disks=()
  while read -r name type size options; do
    [ -n "$name" ] && [ "$type" != tmpfs ] || continue
    image=$scratch/$1.$name
    # shellcheck disable=SC2086
    make_disk "$image" "$type" "$size" $options
    attach "$name" "$image" "$slow"
  done < <(header "$1" disk)
}

# attach NAME IMAGE [OPTION]: adds the disk to the array.
attach() {
  disks+=(-drive "if=none,id=$1,format=raw,cache=unsafe,file=$2${3:-}" -device "nvme,drive=$1,serial=$1")
}

# memory_of SCENARIO: of its machine, in MiB.
memory_of() {
  local mib=${memory:-$(header_or "$1" memory 512)}
  ! is_on "$1" runtimes || mib=$((mib + 256))
  say "$mib"
}

# virtual_machine SCENARIO [QEMU_OPTION...]: SCENARIO's, in which $shell or it runs.
virtual_machine() {
  local scenario=$1 disks limit words one clock processors=(-accel "$accelerator" -smp "$processor_count")
  shift
  make_disks "$scenario"
  words=$(header "$scenario" cmdline)
  for one in "${environment[@]}"; do words+=" ${one%%=*}=\"${one#*=}\""; done
  if is_on "$scenario" runtimes; then
    words+=' root_disk=root'
    attach root "$root_image" ,snapshot=on
  fi
  limit=$(seconds_of "$scenario")
  [ -z "$shell" ] || limit=0
  clock=$(header "$scenario" clock)
  # What it waits for comes at once. Only an emulator can count.
  [ -z "$clock" ] || processors=(-accel 'tcg,thread=single' -icount "shift=$((${clock#instructions})),sleep=off" -smp 1)
  exec timeout --foreground --kill-after=5 "$limit" \
    ${machine_of[$processor]} "${processors[@]}" -no-reboot -nodefaults \
    -m "$(memory_of "$scenario")" -kernel "$kernel" -initrd "$scratch/initramfs" \
    -append "console=$console quiet panic=-1 no_timer_check psi=1 mitigations=off scenario=${shell:-$scenario} limit=$limit $words" \
    "${disks[@]}" "$@"
}

# run_machine NAME LOG
run_machine() {
  run_process virtual_machine "$1" -display none -monitor none -serial stdio </dev/null >"$2" 2>&1
  rm -f "$scratch/$1".*
}
has_booted() { grep -q '^evictd-vm: booted' "$1"; }

# run NAME: the machine's serial line goes to the log; its last line decides.
run() {
  local name=$1 log=$machine/$1.log start=$EPOCHREALTIME status result='' times=''
  run_machine "$name" "$log"
  # Now and then, one machine in some hundreds, the emulator stands still while the kernel
  # starts ("soft lockup" of swapper); nothing of evictd has run by then.
  if ! has_booted "$log"; then
    run_machine "$name" "$log"
    say 'evictd-note: the machine did not boot, and was started again' >>"$log"
  fi
  # shellcheck disable=SC2046
  set -- $(tr -d '\r' <"$log" | sed -n "s/^evictd-vm: $name ended with exit \([0-9]*\) after/\1/p" | tail -n 1)
  if [ $# = 3 ]; then
    status=$1
    times=$(awk -v from="$2" -v to="$3" 'BEGIN { printf "%.1f s of it after boot", to - from }')
  elif [ "$status" -lt 124 ]; then
    result="failed: the machine stopped without a result (qemu's exit: $status)"
  fi
  conclude "$name" "$start" "$status" "$log" "$result" "$times"
}

scratch=$(mktemp -d)
trap 'stop_all; rm -rf "$scratch"' EXIT
build_programs
furnish_tree "$scratch/tree"
(cd "$scratch/tree" && find . | cpio -o -H newc -R +0:+0 --quiet) >"$scratch/initramfs"
! need_runtimes "${names[@]}" || build_root
if kvm_boots; then
  say 'KVM boots the machines'
  accelerator=kvm
else
  say 'the processor is emulated: KVM does not boot the machines here'
  accelerator=tcg,thread=multi
fi
if [ -n "$shell" ]; then
  (virtual_machine "$like" -nographic -serial mon:stdio)
  exit
fi

# What all machines of one moment may have, of what is free now; one always may. 128 MiB are
# qemu's own, beside the guest's.
free=$(awk '/^MemAvailable:/ { print int($2 / 1024) - 512 }' /proc/meminfo)
largest=$(for name in "${names[@]}"; do memory_of "$name"; done | sort -n | tail -n 1)
by_memory=$((free / (largest + 128)))
[ "$by_memory" -ge 1 ] || by_memory=1
jobs=${jobs:-3}
[ "$jobs" -le "$by_memory" ] || jobs=$by_memory
run_all
