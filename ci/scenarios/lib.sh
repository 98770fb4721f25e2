# Sourced by every scenario: time, how it ends, pods as cgroups and their manifests; and
# evictd.sh, which see. busybox sh runs it; bash where there are container runtimes, with
# runtimes.sh too (ci/scenario --help). What waits starts no process, so that it
# works while there is not one process id left.
# shellcheck shell=dash

set -eu

scenario=${scenario:-${0##*/}} # the runner knows: several may share a file
work=${WORK:-/tmp/work}   # everything a scenario writes
disks=${DISKS:-/mnt}      # the disks of its header are mounted here, by name
log=$work/evictd.log
manifests=$work/manifests
root_dir=$disks/nodefs    # for --root-dir
sizes=$work/sizes         # how many MiB a pod is to hold, by its name
evictd_pid='' evictd_flags='' pods_made='' uids=0

mkdir -p "$work" "$manifests" "$sizes"
mkfifo "$work/never"
: >"$log"

# --- the machine -----------------------------------------------------------------

if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
  version=2
  pod_roots=/sys/fs/cgroup/pods
  memory_now=memory.current
  memory_most=memory.max
else
  version=1
  pod_roots='/sys/fs/cgroup/memory/pods /sys/fs/cgroup/pids/pods /sys/fs/cgroup/freezer/pods'
  memory_now=memory.usage_in_bytes
  memory_most=memory.limit_in_bytes
fi
memory_pods=${pod_roots%% *}
mkdir $pod_roots
if [ $version = 2 ]; then
  for controller in memory pids; do
    case " $(cat /sys/fs/cgroup/cgroup.controllers) " in
      *" $controller "*) echo "+$controller" >/sys/fs/cgroup/pods/cgroup.subtree_control ;;
    esac
  done
fi

# --- time ------------------------------------------------------------------------

# nap SECONDS: without a process for it.
nap() { read -r -t "$1" _ <>"$work/never" || true; }

# Sets $now to milliseconds since the start of the machine.
clock() {
  read -r now _ </proc/uptime
  now_part=${now#*.}
  now=$((${now%.*} * 1000 + ${now_part#0} * 10))
}

# How many times as slow as ours a machine may be that it shares with others. What is awaited
# ends a scenario that hangs; how long evictd takes is measured by ci/bench/run and ci/bench/league.
patience=3

# wait_until SECONDS WHAT COMMAND...: until COMMAND succeeds; else, after SECONDS times
# $patience, the scenario fails with WHAT was awaited.
wait_until() {
  wait_seconds=$(($1 * patience)) wait_what=$2
  shift 2
  clock
  wait_end=$((now + wait_seconds * 1000))
  until "$@"; do
    clock
    [ "$now" -lt "$wait_end" ] || fail "not within $wait_seconds s: $wait_what"
    nap 0.05
  done
}

# --- the book --------------------------------------------------------------------

# next_block: runs the next block of commands that the book tags with this scenario, as it
# stands; what it prints goes to $said. begin_block FILE does so in the background, for a
# block that is a daemon's command line: it prints to FILE, and is process $begun.
blocks_run=0
said=$work/said
next_block() {
  find_block
  sh -eu "$block" >"$said" 2>&1 || fail "block $blocks_run of the book: exit $?: $(cat "$said")"
}
begin_block() {
  find_block
  sh -eu -c "exec $(cat "$block")" </dev/null >>"$1" 2>&1 &
  begun=$!
}
# rehearse: the next block is evictd with --dry-run, and names a pod; begin_evictd: it is
# evictd, which goes on.
rehearse() {
  begin_evictd
  wait_until 30 "the dry run names a pod" logged 'would evict'
  stop_evictd
}
begin_evictd() {
  : >"$log"
  begin_block "$log"
  evictd_pid=$begun
  wait_until 30 "evictd has started" logged 'memory is looked at'
}
logged() { grep -qF -e "$1" "$log"; }
find_block() {
  blocks_run=$((blocks_run + 1))
  block=$(command -v "$scenario.$blocks_run") || fail "the book has no block $blocks_run of this scenario"
  say "block $blocks_run: $(head -n 1 "$block")"
}

# repeat_until_says TEXT: runs the last block again until it prints that.
repeat_until_says() {
  until grep -qF -e "$1" "$said"; do
    nap 1
    sh -eu "$block" >"$said" 2>&1 || fail "block $blocks_run of the book: exit $?: $(cat "$said")"
    repeats=$((${repeats:-0} + 1))
    [ "$repeats" -lt 20 ] || says "$1"
  done
}

# says TEXT: the last block has printed it.
says() { grep -qF -e "$1" "$said" || fail "block $blocks_run of the book does not say \"$1\": $(cat "$said")"; }

# end_of_blocks: this scenario has run each block that the book has for it.
end_of_blocks() { ! command -v "$scenario.$((blocks_run + 1))" >/dev/null || fail "the book has a block that this scenario does not run: $((blocks_run + 1))"; }

# --- how it ends -----------------------------------------------------------------

say() { echo "$scenario: $*"; }

# note TEXT: shown in the scenario's line.
note() { echo "evictd-note: $*"; }

fail() {
  say "FAILED: $*"
  say "evictd's log:"
  while read -r line; do echo "  $line"; done <"$log"
  say "pods and processes in them:"
  for fail_name in $pods_made; do
    fail_count=0
    each_process "$fail_name" count_process || true
    [ "$fail_count" = 0 ] || echo "  $fail_name: $fail_count"
  done
  read -r line </proc/loadavg && say "loadavg: $line"
  read -r line 2>/dev/null <"/proc/${evictd_pid:-self}/stat" && say "evictd: $line"
  exit 1
}
count_process() { fail_count=$((fail_count + 1)); }

# Whatever happens, nothing of the scenario goes on.
end() {
  end_status=$?
  trap - EXIT
  set +e
  [ -z "$evictd_pid" ] || kill -KILL "$evictd_pid" 2>/dev/null || true
  for end_name in $pods_made; do
    thaw "$end_name"
    each_process "$end_name" kill_process
  done
  exit "$end_status"
}
trap end EXIT

# --- pods ------------------------------------------------------------------------

# pod NAME COMMAND...: a pod that runs it. NAME is a shell word.
pod() {
  pod_name=$1
  shift
  for pod_root in $pod_roots; do
    mkdir "$pod_root/$pod_name"
  done
  pods_made="$pods_made $pod_name"
  (
    for pod_root in $pod_roots; do
      echo 0 >"$pod_root/$pod_name/cgroup.procs"
    done
    exec "$@"
  ) </dev/null >"$work/$pod_name.out" 2>&1 &
  eval "pid_$pod_name=$!"
  eval "pod_pid=\$pid_$pod_name"
  wait_until 10 "pod $pod_name runs" has_begun "$pod_name" "$pod_pid"
}
# It may be evicted again before this looks.
has_begun() { holds_processes "$1" || has_ended "$2"; }

# has_ended PID: gone, or a zombie that no process has waited for.
has_ended() {
  read -r _ _ ended_state _ 2>/dev/null <"/proc/$1/stat" || return 0
  [ "$ended_state" = Z ]
}

# memory_pod NAME MIB: a pod that holds as much memory; resize NAME MIB changes it.
memory_pod() {
  resize "$1" "$2"
  pod "$1" workload "${3:-memory}" "$sizes/$1"
  wait_until 20 "pod $1 holds $2 MiB" holds_mib "$1" "$2"
}

resize() { echo "$2" >"$sizes/$1"; }

# manifest NAME [key=value...]: priority, grace (seconds), request and limit of memory,
# size (the limit of its emptyDir, which is called data), disk (request and limit of ephemeral
# storage).
manifest() {
  manifest_name=$1
  shift
  uids=$((uids + 1))
  uid=00000000-0000-4000-8000-$((100000000000 + uids))
  eval "uid_$manifest_name=$uid"
  priority=0 grace=30 request='' limit='' size='' disk=''
  for setting in "$@"; do
    case $setting in
      priority=* | grace=* | request=* | limit=* | size=* | disk=*) eval "${setting%%=*}='${setting#*=}'" ;;
      *) fail "manifest: what is $setting?" ;;
    esac
  done
  {
    echo "apiVersion: v1"
    echo "kind: Pod"
    echo "metadata: {name: $manifest_name, namespace: default, uid: $uid}"
    echo "spec:"
    echo "  priority: $priority"
    echo "  terminationGracePeriodSeconds: $grace"
    echo "  volumes: [{name: data, emptyDir: {${size:+sizeLimit: $size}}}]"
    echo "  containers:"
    echo "  - name: main"
    echo "    image: none"
    echo "    resources:"
    echo "      requests: {${request:+memory: $request, }${disk:+ephemeral-storage: $disk}}"
    echo "      limits: {${limit:+memory: $limit, }${disk:+ephemeral-storage: $disk}}"
  } >"$manifests/$manifest_name.yaml"
}

# volume NAME MIB: a file of that size in the emptyDir of the pod with that manifest, below
# $root_dir. Sets $volume.
volume() {
  eval "volume=$root_dir/pods/\$uid_$1/volumes/kubernetes.io~empty-dir/data"
  mkdir -p "$volume"
  fallocate -l "$2M" "$volume/file"
}

# each_process POD COMMAND: COMMAND with every pid of it; false if there is none.
each_process() {
  each_found=1
  while read -r each_pid; do
    each_found=0
    $2 "$each_pid"
  done 2>/dev/null <"$memory_pods/$1/cgroup.procs" || return 1
  return $each_found
}
kill_process() { kill -KILL "$1" 2>/dev/null || true; }

holds_processes() { each_process "$1" :; }
holds_none() { ! each_process "$1" :; }

# On cgroup v1 page cache is counted too, which only helps.
holds_mib() {
  if [ ! -e "$memory_pods/$1/$memory_now" ]; then return 0; fi
  read -r held <"$memory_pods/$1/$memory_now"
  [ "$held" -ge $(($2 << 20)) ]
}

# The whole pod stands still, as a debugger or a checkpoint may leave it.
freeze() {
  if [ $version = 2 ]; then
    echo 1 >"/sys/fs/cgroup/pods/$1/cgroup.freeze"
  else
    echo FROZEN >"/sys/fs/cgroup/freezer/pods/$1/freezer.state"
  fi
}

thaw() {
  if [ $version = 2 ]; then
    echo 0 >"/sys/fs/cgroup/pods/$1/cgroup.freeze"
  else
    echo THAWED >"/sys/fs/cgroup/freezer/pods/$1/freezer.state"
  fi
}

# --- the kernel ------------------------------------------------------------------

# expect_no_oom_kill: the kernel's own killer had nothing to do.
expect_no_oom_kill() {
  if [ $version = 2 ]; then
    read_count oom_kill /proc/vmstat
  else
    read_count oom_kill /sys/fs/cgroup/memory/memory.oom_control
  fi
  [ "$count" = 0 ] || fail "the kernel's OOM killer killed $count times"
}

# read_count KEY FILE: sets $count.
read_count() {
  count=0
  while read -r key value _; do
    [ "$key" != "$1" ] || count=$value
  done <"$2"
}

# --- what several scenarios do ---------------------------------------------------

# Where nothing counts what pods use of memory: of three pods of one priority the hog is
# evicted, not the one whose processes share more than it holds.
hog_without_counters() {
  for counters_name in family other hog; do manifest $counters_name; done
  pod family workload family 40
  pod other workload idle
  start_evictd --eviction-hard='memory.available<150Mi'
  pod hog workload hog 50
  await_evicted 60 hog
  expect_reasons memory.available
  quiet 1
  expect_evicted hog
  expect_running family other
  expect_no_oom_kill
  note_kill
}

. "${0%/*}/evictd.sh"
