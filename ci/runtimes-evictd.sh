# Sourced by the scenarios of ci/runtimes.d that run evictd beside the runtimes.
#
#   start_evictd ENDPOINT FLAG...   the daemon, measuring ten times a second, with no
#                                   threshold but those given here; stop_evictd
#   logged TEXT, await_log SECONDS TEXT
#   available_mib                   memory.available now
#   watermarks PATH USED            a flag for a threshold so many percent above what is used
#   resize NAME MIB                 how much the workload "memory" of that name takes

log=$work/evictd.log
sizes=$work/sizes
mkdir -p "$sizes"
: >"$log"
evictd_pid=

start_evictd() {
  local endpoint=$1
  shift
  "$EVICTD" --container-runtime-endpoint="$endpoint" --housekeeping-interval=100ms \
    --eviction-hard= --state-dir="$work/state" "$@" </dev/null >>"$log" 2>&1 &
  evictd_pid=$!
  await_log 20 ' watches '
}

stop_evictd() {
  kill -TERM "$evictd_pid"
  wait "$evictd_pid" || fail "evictd ended with exit $?"
  evictd_pid=
}

logged() { grep -F -q -e "$1" "$log"; }

# not_logged TEXT
not_logged() { ! logged "$1" || fail "evictd logged: $(grep -F -m 1 -e "$1" "$log")"; }

await_log() {
  wait_until "$1" "evictd logs \"$2\"; it logged: $(tail -n 5 "$log")" logged "$2"
}

# evictd_json COMMAND ENDPOINT FLAG...
evictd_json() {
  local command=$1 endpoint=$2
  shift 2
  # shellcheck disable=SC2086
  "$EVICTD" $command --json --container-runtime-endpoint="$endpoint" "$@"
}

available_mib() {
  evictd_json status '' | jq '.signals[] | select(.signal == "memory.available").available / 1048576 | floor'
}

resize() { echo "$2" >"$sizes/$1"; }

# --- over the Docker API: the same for dockerd and Podman --------------------------

# memory_run RUNTIME NAME MIB [MORE-AS-JSON]: a container whose size "resize" sets.
memory_run() {
  local runtime=$1 name=$2 mib=$3 more=${4:-null}
  resize "$name" "$mib"
  "${runtime}_run" "$name" evictd.test/one:1 "[\"memory\",\"/sizes/$name\"]" \
    "$(jq -n -c --arg sizes "$sizes:/sizes" --argjson more "$more" '{HostConfig: {Binds: [$sizes]}} * ($more // {})')"
}

# is_running RUNTIME NAME
is_running() {
  [ "$("$1_api" GET "/containers/$2/json" 2>/dev/null | jq .State.Running)" = true ]
}

# evicts_over_docker RUNTIME ENDPOINT: three containers; the one that uses most above its
# request goes by SIGTERM within its grace, and its runtime does not start it again although
# its restart policy says always. The next one ignores SIGTERM.
evicts_over_docker() {
  local runtime=$1 endpoint=$2 ranked now
  # Restarted always; within its request; protected; without a request but deaf.
  memory_run "$runtime" greedy 8 '{"HostConfig":{"MemoryReservation":8388608,"RestartPolicy":{"Name":"always"}}}' >/dev/null
  memory_run "$runtime" modest 8 '{"HostConfig":{"MemoryReservation":134217728,"Memory":268435456}}' >/dev/null
  memory_run "$runtime" guarded 24 '{"Labels":{"evictd.protect":"true"}}' >/dev/null
  "${runtime}_run" deaf evictd.test/two:1 '["deaf"]' '{"HostConfig":{"RestartPolicy":{"Name":"unless-stopped"}},"Labels":{"evictd.priority":"10"}}' >/dev/null
  ranked=$(evictd_json rank "$endpoint" --signal=memory.available)
  # shellcheck disable=SC2016
  jq -e '[.pods[] | .name] | sort == ["deaf", "greedy", "guarded", "modest"]' <<<"$ranked" >/dev/null ||
    fail "the containers are not the pods: $ranked"
  # Requests and limits as Docker was told them.
  "$EVICTD" rank --container-runtime-endpoint="$endpoint" --signal=memory.available
  now=$(available_mib)
  start_evictd "$endpoint" --eviction-soft="memory.available<$((now - 60))Mi" \
    --eviction-soft-grace-period=memory.available=1s --eviction-max-pod-grace-period=5 \
    --eviction-minimum-reclaim=memory.available=1Mi --eviction-pressure-transition-period=1s
  await_log 10 'answers at'
  resize greedy 100
  await_log 20 "evicting pod $runtime/greedy"
  await_log 10 "pod $runtime/greedy is gone"
  logged 'its processes ended by themselves' || fail "greedy should have ended by the runtime's SIGTERM"
  note "$(grep -F -m 1 'is gone' "$log" | sed 's/.*INFO *//')"
  sleep 2
  ! is_running "$runtime" greedy || fail "the runtime has started greedy again"
  for name in modest guarded deaf; do is_running "$runtime" $name || fail "$name does not run any more"; done
  # Within its request: the deaf one, which has none, goes before it.
  resize modest 100
  await_log 20 "evicting pod $runtime/deaf"
  await_log 15 "pod $runtime/deaf is gone"
  sleep 1
  ! is_running "$runtime" deaf || fail "the runtime has started deaf again"
  resize modest 8
  stop_evictd
}
