# Sourced by ci/scenario: a part of this machine that a scenario takes for a machine of its own.
#
# A scenario has namespaces of its own for mounts, processes, IPC and cgroups. A cgroup
# with a memory limit stands where the root of each hierarchy is, and /proc/meminfo tells
# that limit as MemTotal. So evictd measures a machine of that size and finds no pods but
# the scenario's, and the limit bounds what a scenario can do to this machine. Disks are
# loop devices, mounted in that namespace only. All of it ends with the scenario's first
# process, and what is left of the cgroups is removed, also after a failure or ctrl-C.

[ "$(id -u)" = 0 ] || die "needs root: it makes cgroups and mounts"
need timeout unshare mount mke2fs
scratch=$(mktemp -d)
logs=$(realpath -m "target/$script")
mkdir -p "$logs"

# What cgroups are called: nothing else on this machine may be touched. Each scenario has its
# own, $box.NAME: in node/, which is the root that it sees, are its pods; in scenario/ what
# else it runs.
box=evictd-$script-$$
most_processes=4000
# A line for each hierarchy, as arguments of mount: its type, options and place.
cgroup_mounts=$(awk '$3 == "cgroup" || $3 == "cgroup2" {
  count = split($4, all, ","); options = "rw"
  for (i = 1; i <= count; i++) if ($3 == "cgroup" && all[i] !~ /^(rw|relatime|nosuid|nodev|noexec)$/) options = options "," all[i]
  print $3, options, $2 }' /proc/mounts)
mapfile -t hierarchies < <(awk '{ print $3 }' <<<"$cgroup_mounts")

trap 'stop_all; remove_cgroups; rm -rf "$scratch"' EXIT

# make_cgroups MIB: what the scenario's machine may use and what its processes are in.
make_cgroups() {
  local hierarchy file
  for hierarchy in "${hierarchies[@]}"; do
    mkdir -p "$hierarchy/$box/node" "$hierarchy/$box/scenario"
    # Without these no process may be in a cgroup of cpuset.
    for file in cpuset.cpus cpuset.mems; do
      [ ! -e "$hierarchy/$file" ] || tee "$hierarchy/$box/$file" "$hierarchy/$box/node/$file" "$hierarchy/$box/scenario/$file" <"$hierarchy/$file" >/dev/null
    done
    for file in $(cat "$hierarchy/cgroup.controllers" 2>/dev/null); do
      echo "+$file" | tee "$hierarchy/cgroup.subtree_control" "$hierarchy/$box/cgroup.subtree_control" >/dev/null || true
    done
    for file in memory.limit_in_bytes memory.max; do
      [ ! -e "$hierarchy/$box/node/$file" ] || echo "$(($1 << 20))" >"$hierarchy/$box/node/$file"
    done
    [ ! -e "$hierarchy/$box/pids.max" ] || echo "$most_processes" >"$hierarchy/$box/pids.max"
  done
}

# Kills and removes what is left in the cgroups of the scenario, or of all, until nothing is.
remove_cgroups() {
  local hierarchy tree dir pid tries left
  for tries in {1..100}; do
    left=
    for hierarchy in "${hierarchies[@]}"; do
      for tree in "$hierarchy/$box" "$hierarchy/$box".*; do
        [ -d "$tree" ] || continue
        # Children first, as rmdir needs them.
        while read -r dir; do
          [ ! -e "$dir/freezer.state" ] || echo THAWED >"$dir/freezer.state" || true
          while read -r pid; do kill -KILL "$pid" || true; done <"$dir/cgroup.procs"
          rmdir "$dir" || left=$dir
        done < <(find "$tree" -depth -type d)
      done
    done 2>/dev/null
    [ -n "$left" ] || return 0
    sleep 0.1
  done
  say "this cgroup could not be removed: $left" >&2
}

# What a scenario needs, and what shall be the scenario's own. In ci/native the disks are in
# memory, so that this machine's own does not count; runtimes put things there whatever they
# are told.
if [ "$place" = native ]; then
  need busybox curl strace
  for controller in memory pids freezer; do
    [ -e "/sys/fs/cgroup/$controller/cgroup.procs" ] || die "there is no cgroup v1 hierarchy in /sys/fs/cgroup/$controller"
  done
  interpreter='busybox sh'
  furnish() { mount -t tmpfs -o mode=700 scenario "$scratch"; }
else
  need containerd ctr runc podman dockerd conmon jq curl tar
  interpreter='bash -euo pipefail'
  furnish() {
    mount -t tmpfs -o mode=755 run /run
    mount -t tmpfs shm /dev/shm
  }
fi

# enter MIB SCENARIO WORD...: in the scenario's namespaces, as its first process.
enter() {
  local memory=$1 name=$2
  shift 2
  mount --make-rprivate /
  mount -t proc proc /proc
  mount_cgroups
  furnish
  mkdir -p "$scratch/bin" "$scratch/work" "$scratch/disks" "$scratch/images"
  copy_programs "$scratch/bin"
  [ ! -x "$EVICTD-tools" ] || cp "$EVICTD-tools" "$scratch/bin/"
  printf 'MemTotal: %d kB\n' $((memory << 10)) >"$scratch/meminfo"
  # What a machine without it could swap out is asked for.
  grep ^SwapTotal: /proc/meminfo >>"$scratch/meminfo"
  mount --bind "$scratch/meminfo" /proc/meminfo
  mount_disks "$name"
  # It is this shell's child, so that this one can reap what has lost its parent.
  scenario=$name PATH=$scratch/bin:$PATH WORK=$scratch/work DISKS=$scratch/disks "$@" &
  wait $!
}

# The cgroup namespace was made in node/, which is its root therefore. The processes go
# where that root does not count them.
mount_cgroups() {
  local type options target fd
  while read -r type options target; do umount -l "$target"; done <<<"$cgroup_mounts"
  while read -r type options target; do mount -t "$type" -o "$options" cgroup "$target"; done <<<"$cgroup_mounts"
  for fd in $leave; do echo 0 >&"$fd"; done
  for fd in $leave; do exec {fd}>&-; done
  # Not before: a cgroup of v2 that gives controllers on holds no processes.
  while read -r type options target; do
    for fd in $(cat "$target/cgroup.controllers" 2>/dev/null); do
      echo "+$fd" >"$target/cgroup.subtree_control" || true
    done
  done <<<"$cgroup_mounts"
}

# mount_disks SCENARIO: as its header says.
mount_disks() {
  local disk type size options
  while read -r disk type size options; do
    [ -n "$disk" ] || continue
    mkdir "$scratch/disks/$disk"
    if [ "$type" = tmpfs ]; then
      mount -t tmpfs -o "size=$size${options:+,$options}" "$disk" "$scratch/disks/$disk"
    else
      # shellcheck disable=SC2086
      make_disk "$scratch/images/$disk" "$type" "$size" $options
      mount -o loop "$scratch/images/$disk" "$scratch/disks/$disk"
    fi
  done < <(header "$1" disk)
}

# inside SECONDS ENTER-ARGUMENT...: "enter", in namespaces and cgroups of its own.
inside() {
  local seconds=$1 hierarchy fd
  shift
  leave=
  for hierarchy in "${hierarchies[@]}"; do
    exec {fd}>"$hierarchy/$box/scenario/cgroup.procs"
    leave+=" $fd"
    echo 0 >&"$fd"
  done
  export -f enter mount_cgroups mount_disks furnish file_of header make_disk copy_programs say die
  export leave scratch box cgroup_mounts script scenarios programs workloads EVICTD
  # Only the process that makes the cgroup namespace is in node/ for that moment: none may
  # stay there, where v2 is to give controllers on.
  # shellcheck disable=SC2016
  exec timeout --foreground --kill-after=5 "$seconds" \
    unshare --mount --pid --ipc --fork --kill-child bash -euc '
      while read -r _ _ hierarchy; do echo 0 >"$hierarchy/$box/node/cgroup.procs"; done <<<"$cgroup_mounts"
      exec unshare --cgroup bash -euc "enter \"\$@\"" enter "$@"' inside "$@"
}

# run NAME, by $interpreter, with cgroups and a folder of its own, so that several can run at
# once. Of one that fails the logs that it wrote are kept beside its own.
run() {
  local name=$1 log=$logs/$1.log start=$EPOCHREALTIME status memory passed=0
  local box=$box.$1 scratch=$scratch/$1
  mkdir "$scratch"
  memory=$(header_or "$name" memory 512)
  make_cgroups "$memory"
  # shellcheck disable=SC2154,SC2086
  run_process inside "$(seconds_of "$name")" "$memory" "$name" env "${environment[@]}" \
    $interpreter "$scenarios/$(file_of "$name")" </dev/null >"$log" 2>&1
  remove_cgroups
  rm -rf "${logs:?}/$name"
  conclude "$name" "$start" "$status" "$log" || passed=1
  if [ "$passed" != 0 ]; then
    mkdir -p "$logs/$name"
    find "$scratch/work" -maxdepth 1 -name '*.log' -exec cp {} "$logs/$name/" ';' 2>/dev/null
    rmdir "$logs/$name" 2>/dev/null || true # what was in memory is gone
  fi
  rm -rf "$scratch"
  return $passed
}

build_programs
[ "$place" = native ] || build_clients
if [ -n "$shell" ]; then
  say 'the libraries of scenarios are in ci/scenarios'
  memory=$(header_or "$like" memory 512)
  make_cgroups "$memory"
  (inside 0 "$memory" "$like" env "${environment[@]}" bash -i)
  exit
fi
jobs=${jobs:-$([ "$place" = native ] && say 2 || say 3)}
run_all
