# Sourced by lib.sh: evictd as a daemon, what it logs, and what a scenario expects of it.
#
# The daemon logs in JSON, a flat object a line. A scenario names an event and what its
# fields have to be, never a sentence:
#
#   FIELD=VALUE   that text, number, true or false; without a VALUE the field is not there
#   FIELD~TEXT    a text with TEXT in it
#
# What waits starts no process, so that it works while there is not one process id left.
# shellcheck shell=dash

newline='
'
spaces=" 	$newline"

# What start_evictd passes on, before what it is given.
evictd_defaults="--pod-cgroup-root=/pods --pod-manifest-path=$manifests"

# --- the daemon ------------------------------------------------------------------

# start_evictd FLAG...: the daemon, measuring ten times a second; no threshold but those
# given here.
start_evictd() {
  launch_evictd "$@"
  await_event 20 start
}

# The same without waiting. Where $console is set, its lines go there; where $launcher is, that
# command or function runs it.
launch_evictd() {
  # shellcheck disable=SC2086
  set -- $evictd_defaults --state-dir="$work/state" --log-format=json \
    --housekeeping-interval=100ms --eviction-hard= "$@"
  evictd_flags=''
  for flag in "$@"; do evictd_flags="$evictd_flags '$flag'"; done
  : >"$log"
  follow_log
  ${launcher:-} evictd "$@" </dev/null 2>>"${console:-$log}" &
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

# ask_evictd COMMAND FLAG...: the command, with the daemon's flags.
ask_evictd() {
  ask_words=''
  for flag in "$@"; do ask_words="$ask_words '$flag'"; done
  eval "evictd $ask_words $evictd_flags"
}

# --- its log ---------------------------------------------------------------------

# From here on, the log is read from its beginning.
follow_log() {
  exec 9<"$log"
  log_lines='' log_begun=''
}

# Takes in what came since the last time.
read_log() {
  while IFS= read -r log_part <&9; do
    log_lines=$log_lines$log_begun$log_part$newline
    log_begun=''
  done
  log_begun=$log_begun$log_part
}

# each_event COMMAND NAME [CONDITION...]: COMMAND for each such event of the log, until it
# fails; $line is the event's.
each_event() {
  each_event_does=$1
  shift
  read_log
  set -f
  IFS=$newline
  for line in $log_lines; do
    if matches "event=$1" && matches_all "$@"; then
      IFS=$spaces
      $each_event_does || break
    fi
  done
  IFS=$spaces
  set +f
}

# matches_all ANYTHING CONDITION...
matches_all() {
  shift
  for matches_one in "$@"; do
    matches "$matches_one" || return 1
  done
}

# matches CONDITION: whether it is true of $line, an object or what one has in its braces.
# In a text a quotation mark has a backslash before it: "FIELD": is nowhere but in front
# of a value.
matches() {
  matches_field=${1%%[=~]*}
  matches_value=${1#"$matches_field"?}
  case $1 in
    "$matches_field=")
      case $line in *"\"$matches_field\":"*) return 1 ;; *) return 0 ;; esac ;;
    "$matches_field="*)
      case $line, in
        *"\"$matches_field\":\"$matches_value\""* | *"\"$matches_field\":$matches_value"[,}]*) return 0 ;;
        *) return 1 ;;
      esac ;;
    "$matches_field~"*)
      case $line in *"\"$matches_field\":\""*) ;; *) return 1 ;; esac
      matches_rest=${line#*"\"$matches_field\":\""}
      case ${matches_rest%%\",\"*} in *"$matches_value"*) return 0 ;; *) return 1 ;; esac ;;
    *) fail "what is the condition $1?" ;;
  esac
}

# value FIELD: sets $value to what $line has there; empty where there is no such field.
value() {
  value=''
  case $line in
    *"\"$1\":\""*) value=${line#*"\"$1\":\""} value=${value%%\"*} ;;
    *"\"$1\":"*) value=${line#*"\"$1\":"} value=${value%%[,\}]*} ;;
  esac
}

# event NAME [CONDITION...]: whether there was such an event. Sets $line to the first.
event() {
  event_line=''
  each_event keep_line "$@"
  line=$event_line
  [ -n "$line" ]
}
keep_line() {
  event_line=$line
  false
}

# count_events NAME [CONDITION...]: sets $times.
count_events() {
  times=0
  each_event count_event "$@"
}
count_event() { times=$((times + 1)); }

# happened TIMES NAME [CONDITION...]: so often, or more.
happened() {
  happened_times=$1
  shift
  count_events "$@"
  [ "$times" -ge "$happened_times" ]
}

# await_event SECONDS NAME [CONDITION...]: sets $line.
await_event() {
  await_seconds=$1
  shift
  wait_until "$await_seconds" "evictd logs $*" event "$@"
  event "$@"
}

# await_events SECONDS TIMES NAME [CONDITION...]: so often, or more.
await_events() {
  await_seconds=$1
  shift
  wait_until "$await_seconds" "evictd logs $*" happened "$@"
}

# expect_event NAME [CONDITION...]: sets $line.
expect_event() { event "$@" || fail "evictd should have logged $*"; }

# expect_events TIMES NAME [CONDITION...]
expect_events() {
  expect_times=$1
  shift
  count_events "$@"
  [ "$times" = "$expect_times" ] || fail "evictd should have logged $* $expect_times times, not $times"
}

# --- what it did -----------------------------------------------------------------

# Sets $chosen to the pods that evictd chose, in its order, and $chosen_for to the
# signals that it did so for.
read_victims() {
  chosen='' chosen_for=''
  each_event add_victim evicting
  chosen=${chosen# } chosen_for=${chosen_for# }
}
add_victim() {
  value pod
  chosen="$chosen $value"
  value signal
  chosen_for="$chosen_for $value"
}

has_chosen() {
  read_victims
  case "$chosen " in "$1 "*) ;; *) return 1 ;; esac
}

# await_evicted SECONDS NAME...: these pods are evicted, in this order, and are dead.
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

# quiet SECONDS: no further pod is chosen in that time, and evictd runs on.
quiet() {
  read_victims
  quiet_before=$chosen
  nap "$1"
  read_victims
  [ "$chosen" = "$quiet_before" ] || fail "evicted meanwhile: ${chosen#"$quiet_before"}"
  ! has_ended "$evictd_pid" || fail "evictd is gone"
}

# Notes how the first kill went, or that of the pod NAME, for the scenario's line.
note_kill() {
  await_event 5 killed ${1:+"pod=$1"}
  value pod && note_pod=$value
  value millis && note_millis=$value
  value processes && note_processes=$value
  value method
  if [ -n "$value" ]; then
    note "$note_pod gone after $note_millis ms, $note_processes processes killed by $value"
  else
    note "$note_pod ended by itself after $note_millis ms"
  fi
}

# --- what it says when it is asked -----------------------------------------------

# read_status: what evictd status tells. It looks for itself, as without a state directory
# there is no daemon to ask.
read_status() {
  eval "evictd status --json $evictd_flags --state-dir=" >"$work/status" || fail "evictd status: exit $?"
}

# object FILE CONDITION...: whether FILE, a document in JSON, has an object of which all
# of that is true. Sets $line to what the object has before objects of its own.
object() {
  object_text=''
  while IFS= read -r line || [ -n "$line" ]; do object_text=$object_text$line; done <"$1"
  set -f
  IFS='{}'
  for line in $object_text; do
    if matches_all "$@"; then
      IFS=$spaces
      set +f
      return 0
    fi
  done
  IFS=$spaces
  set +f
  return 1
}

# expect_now CONDITION STATUS: as evictd status tells it.
expect_now() {
  read_status
  object "$work/status" "type=$1" "status=$2" || fail "status should tell $1=$2: $(cat "$work/status")"
}

# signal SIGNAL: sets $available and $capacity, as evictd status tells them; empty when
# it cannot be observed.
signal() {
  read_status
  available='' capacity=''
  object "$work/status" "signal=$1" || return 0
  value available
  available=${value#null}
  value capacity
  capacity=${value#null}
}
