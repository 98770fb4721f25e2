# Sourced by ci/vm: the disk from which a machine with container runtimes runs, as runc cannot
# pivot_root on an initramfs. On it are the programs of packages that ci/install has put on
# this machine, and the libraries that these load. Each machine has its own copy.

root_image=
root_packages=(bash coreutils findutils grep sed tar util-linux mount jq curl
  containerd runc docker.io podman conmon)

# can_run_on PROCESSOR: names in, names out: these programs are this machine's.
can_run_on() {
  local name
  while read -r name; do
    [ "$1" != x86_64 ] && is_on "$name" runtimes || say "$name"
  done
}

# need_runtimes SCENARIO...: whether one of them does.
need_runtimes() {
  local name
  for name; do
    is_on "$name" runtimes || continue
    [ "$processor" = x86_64 ] || die "$name needs container runtimes, which no machine with $processor has"
    return
  done
  return 1
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
