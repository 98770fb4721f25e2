# Sourced by the scenarios that measure how long it takes from a threshold to the kill.
# shellcheck shell=dash

# race_to LEVEL NAME: a pod that fills memory up to 64 MiB below LEVEL, which is what
# the file $race_usage shows, and waits. race takes it on from there, and sets $micros to
# the time from LEVEL to its being killed: what evictd and the kernel took together.
race_usage=$memory_pods/$memory_now
race_to() {
  race_level=$1 race_name=$2
  set --
  for pod_root in $pod_roots; do
    mkdir "$pod_root/$race_name"
    set -- "$@" "$pod_root/$race_name/cgroup.procs"
  done
  pods_made="$pods_made $race_name"
  race_in "$race_level" "$race_name" "$@"
}

# race_in LEVEL NAME PROCS...: the same in cgroups that are there, by their cgroup.procs.
race_in() {
  race_level=$1 race_pod=$2
  shift 2
  : >"$work/$race_pod.out"
  workload timed "$race_usage" "$race_level" $((64 << 20)) "$@" >"$work/$race_pod.out" &
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

# level_of MIB: what $race_usage shows when so many MiB of memory are left.
# Sets $level. evictd has to run.
level_of() {
  signal memory.available
  read -r level_now <"$race_usage"
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
