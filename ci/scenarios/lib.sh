# Sourced by every scenario: pods as cgroups, manifests, evictd as a daemon, and what a
# scenario expects of them. The same in the virtual machine (cgroup v2) and in ci/native
# (cgroup v1). busybox sh; what waits starts no process, so that it works while there is
# not one process id left.
# shellcheck shell=dash

set -eu

scenario=${0##*/}
work=${WORK:-/tmp/work}   # everything a scenario writes
disks=${DISKS:-/mnt}      # the disks of its header are mounted here, by name
log=$work/evictd.log
manifests=$work/manifests
root_dir=$disks/nodefs    # for --root-dir
evictd_pid='' evictd_flags='' pods_made='' uids=0

mkdir -p "$work" "$manifests"
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

# wait_until SECONDS WHAT COMMAND...: until COMMAND succeeds; else the scenario fails
# with WHAT was awaited.
wait_until() {
  wait_seconds=$1 wait_what=$2
  shift 2
  clock
  wait_end=$((now + wait_seconds * 1000))
  until "$@"; do
    clock
    [ "$now" -lt "$wait_end" ] || fail "not within $wait_seconds s: $wait_what"
    nap 0.05
  done
}

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
# It may be evicted again before anyone looks.
has_begun() { holds_processes "$1" || has_ended "$2"; }

# memory_pod NAME MIB: a pod that holds as much memory; resize NAME MIB changes it.
memory_pod() {
  echo "$2" >"$work/$1.mib"
  pod "$1" workload "${3:-memory}" "$work/$1.mib"
  wait_until 20 "pod $1 holds $2 MiB" holds_mib "$1" "$2"
}

resize() { echo "$2" >"$work/$1.mib"; }

# manifest NAME [key=value...]: priority, grace (seconds), request and limit of memory,
# size (the limit of its emptyDir, which is called data).
manifest() {
  manifest_name=$1
  shift
  uids=$((uids + 1))
  uid=00000000-0000-4000-8000-$((100000000000 + uids))
  eval "uid_$manifest_name=$uid"
  priority=0 grace=30 request='' limit='' size=''
  for setting in "$@"; do
    case $setting in
      priority=* | grace=* | request=* | limit=* | size=*) eval "${setting%%=*}='${setting#*=}'" ;;
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
    echo "      requests: {${request:+memory: $request}}"
    echo "      limits: {${limit:+memory: $limit}}"
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

# --- evictd ----------------------------------------------------------------------

# start_evictd FLAG...: the daemon, measuring ten times a second; no threshold but those
# given here.
start_evictd() {
  launch_evictd "$@"
  wait_until 15 "evictd starts" logged ' watches '
}

launch_evictd() {
  set -- --pod-cgroup-root=/pods --pod-manifest-path="$manifests" --state-dir="$work/state" \
    --housekeeping-interval=100ms --eviction-hard= "$@"
  evictd_flags=''
  for flag in "$@"; do evictd_flags="$evictd_flags '$flag'"; done
  : >"$log"
  evictd "$@" 2>>"$log" &
  evictd_pid=$!
}

# stop_evictd: SIGTERM, and exit 0 within 5 s.
stop_evictd() {
  kill -TERM "$evictd_pid"
  evictd_ends 5
}

# evictd_ends SECONDS: with exit 0.
evictd_ends() {
  wait_until "$1" "evictd ends" has_ended "$evictd_pid"
  end_of_evictd=0
  wait "$evictd_pid" || end_of_evictd=$?
  [ "$end_of_evictd" = 0 ] || fail "evictd ended with exit $end_of_evictd"
  evictd_pid=''
}

# Gone, or a zombie that nobody has waited for.
has_ended() {
  read -r _ _ ended_state _ 2>/dev/null <"/proc/$1/stat" || return 0
  [ "$ended_state" = Z ]
}

# logged TEXT: whether a line of evictd's log holds it. Sets $line.
logged() {
  while read -r line; do
    case $line in *"$1"*) return 0 ;; esac
  done <"$log"
  return 1
}

# await_log SECONDS TEXT
await_log() { wait_until "$1" "evictd logs \"$2\"" logged "$2"; }

# how_often TEXT: sets $times.
how_often() {
  times=0
  while read -r line; do
    case $line in *"$1"*) times=$((times + 1)) ;; esac
  done <"$log"
}

# logged_times TIMES TEXT: so often, or more.
logged_times() {
  how_often "$2"
  [ "$times" -ge "$1" ]
}

# expect_log TIMES TEXT
expect_log() {
  how_often "$2"
  [ "$times" = "$1" ] || fail "\"$2\" should stand in the log $1 times, not $times"
}

# Sets $chosen to the pods that evictd chose, in its order, and $chosen_for to the
# signals that it did so for.
read_victims() {
  chosen='' chosen_for=''
  while read -r line; do
    case $line in
      *' evicting pod '*' (uid '* | *' would evict pod '*' (uid '*) ;;
      *) continue ;;
    esac
    victim=${line#* pod }
    victim=${victim%% (uid*}
    chosen="$chosen ${victim#default/}"
    victim=${line#* s): }
    chosen_for="$chosen_for ${victim%% *}"
  done <"$log"
  chosen=${chosen# } chosen_for=${chosen_for# }
}

has_chosen() {
  read_victims
  case "$chosen " in "$1 "*) ;; *) return 1 ;; esac
}

# await_evicted SECONDS NAME...: these pods go, in this order, and are dead.
await_evicted() {
  await_seconds=$1
  shift
  wait_until "$await_seconds" "evicted: $*" has_chosen "$*"
  for name in "$@"; do
    wait_until 15 "pod $name is dead" holds_none "$name"
  done
}

# expect_evicted NAME...: these and no others, in this order.
expect_evicted() {
  read_victims
  [ "$chosen" = "$*" ] || fail "evicted should be \"$*\", not \"$chosen\""
}

# expect_reasons SIGNAL...: what those that were evicted were evicted for.
expect_reasons() {
  read_victims
  [ "$chosen_for" = "$*" ] || fail "evicted for should be \"$*\", not \"$chosen_for\""
}

# expect_running NAME...: its first process lives, in the pod.
expect_running() {
  for name in "$@"; do
    eval "expected=\$pid_$name"
    holds_processes "$name" || fail "pod $name should run, and is dead"
    ! has_ended "$expected" || fail "the first process of pod $name should run, and is dead"
  done
}

# quiet SECONDS: nobody else is chosen in that time, and evictd runs on.
quiet() {
  read_victims
  quiet_before=$chosen
  nap "$1"
  read_victims
  [ "$chosen" = "$quiet_before" ] || fail "evicted meanwhile: ${chosen#"$quiet_before"}"
  ! has_ended "$evictd_pid" || fail "evictd is gone"
}

# expect_now CONDITION STATUS: as evictd status tells it, which looks for itself.
expect_now() {
  eval "evictd status --json $evictd_flags" >"$work/status" || fail "evictd status: exit $?"
  grep -q "\"type\":\"$1\",\"status\":\"$2\"" "$work/status" ||
    fail "status should tell $1=$2: $(grep -o '"conditions":[^]]*' "$work/status")"
}

# signal SIGNAL: sets $available and $capacity, as evictd status tells them; empty when
# it cannot be observed.
signal() {
  eval "evictd status --json $evictd_flags" >"$work/status" || fail "evictd status: exit $?"
  available=$(sed -n 's/.*"signal":"'"$1"'","available":\([0-9]*\),.*/\1/p' "$work/status")
  capacity=$(sed -n 's/.*"signal":"'"$1"'","available":[0-9]*,"capacity":\([0-9]*\).*/\1/p' "$work/status")
}

# --- how long from a threshold to the kill --------------------------------------

# race_to LEVEL NAME: a pod that fills memory up to 64 MiB below LEVEL, which is what
# the file $race_usage shows, and waits. race takes it on from there, and sets $micros to
# the time from LEVEL to its being killed: what evictd and the kernel took together.
race_usage=$memory_pods/$memory_now
race_to() {
  race_pod=$2
  race_procs=''
  for pod_root in $pod_roots; do
    mkdir "$pod_root/$race_pod"
    race_procs="$race_procs $pod_root/$race_pod/cgroup.procs"
  done
  pods_made="$pods_made $race_pod"
  : >"$work/$race_pod.out"
  # shellcheck disable=SC2086
  workload timed "$race_usage" "$1" $((64 << 20)) $race_procs >"$work/$race_pod.out" &
  race_pid=$!
  wait_until 60 "$race_pod is near" raced waits
}

raced() {
  while read -r race_word race_micros; do
    [ "$race_word" != "$1" ] || return 0
  done <"$work/$race_pod.out"
  return 1
}

race() {
  kill -USR1 "$race_pid"
  wait_until 60 "$race_pod is killed" raced killed
  wait "$race_pid" || fail "workload timed: exit $?"
  wait_until 15 "pod $race_pod is dead" holds_none "$race_pod"
  micros=$race_micros
}

# level_of MIB: the usage of the pods' cgroup at which so many MiB of memory are left.
# Sets $level. evictd has to run.
level_of() {
  signal memory.available
  read -r level_now <"$memory_pods/$memory_now"
  level=$((level_now + available - ($1 << 20)))
}

# middle MICROS...: their median and the largest, as "12.3 ms, worst 45.6 ms of 7".
middle() {
  middle_count=$#
  middle_at=$(((middle_count + 1) / 2))
  middle_seen=0
  for middle_one in $(for one in "$@"; do echo "$one"; done | sort -n); do
    middle_seen=$((middle_seen + 1))
    [ $middle_seen != $middle_at ] || middle=$(in_millis "$middle_one")
  done
  middle="$middle ms, worst $(in_millis "$middle_one") ms of $middle_count"
}
in_millis() { echo "$(($1 / 1000)).$(($1 % 1000 / 100))"; }

# The times of the first kill, for the scenario's line.
note_kill() {
  await_log 5 ' is gone after '
  note "${line#*Z INFO  }"
}

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
  while read -r key value; do
    [ "$key" != "$1" ] || count=$value
  done <"$2"
}
