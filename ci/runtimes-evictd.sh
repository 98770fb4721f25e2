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
  resize modest 8 # or it would be the next
  await_log 15 "pod $runtime/deaf is gone"
  sleep 1
  ! is_running "$runtime" deaf || fail "the runtime has started deaf again"
  stop_evictd

  # At a hard threshold it is killed at once, and the runtime, which would start it anew, is
  # told at the same time.
  memory_run "$runtime" sudden 8 '{"HostConfig":{"RestartPolicy":{"Name":"always"}}}' >/dev/null
  : >"$log"
  start_evictd "$endpoint" --eviction-hard="memory.available<$(($(available_mib) - 60))Mi" --eviction-pressure-transition-period=1s
  await_log 10 'answers at'
  resize sudden 100
  await_log 10 "pod $runtime/sudden is gone"
  note "at once: $(grep -F -m 1 'is gone' "$log" | sed 's/.*INFO *//')"
  sleep 3
  ! is_running "$runtime" sudden || fail "the runtime has started sudden again"
  is_running "$runtime" modest || fail "modest does not run any more"
  stop_evictd
}

# memory_pod NAME MIB [KEY=VALUE...]: a pod over CRI whose container's size "resize" sets.
memory_pod() {
  local name=$1 mib=$2 sandbox
  shift 2
  resize "$name" "$mib"
  sandbox=$(cri runp "$name" "uid=uid-$name" "cgroup-parent=/kubepods/burstable/poduid-$name" "$@")
  cri run "$sandbox" main evictd.test/one:1 "mount=$sizes:/sizes" -- memory "/sizes/$name" >/dev/null
}

# --- collections: the same for all three -------------------------------------------

# image_names RUNTIME: all names, sorted.
image_names() {
  case "$1" in
    containerd) in_containerd image list -q | grep -v '^sha256:' | sort ;;
    docker | podman) "$1_api" GET /images/json | jq -r '.[].RepoTags[]?' | sort ;;
  esac
}

has_image() { image_names "$1" | grep -q -e "evictd.test/$2:1$"; }

# use_image RUNTIME NAME: a container that runs from that image; leave_image ends it.
use_image() {
  local sandbox
  case "$1" in
    containerd)
      sandbox=$(cri runp "use-$2" "uid=use-$2" "cgroup-parent=/kubepods/poduse-$2")
      cri run "$sandbox" main "evictd.test/$2:1" -- idle >"$work/use-$2"
      echo "$sandbox" >>"$work/use-$2"
      ;;
    *) "${1}_run" "use-$2" "evictd.test/$2:1" '["idle"]' >/dev/null ;;
  esac
}

leave_image() {
  local container sandbox
  case "$1" in
    containerd)
      { read -r container; read -r sandbox; } <"$work/use-$2"
      cri stop "$container" >/dev/null
      cri rm "$container"
      cri stopp "$sandbox"
      cri rmp "$sandbox"
      ;;
    *) "${1}_api" DELETE "/containers/use-$2?force=true" >/dev/null ;;
  esac
}

used_percent() { df --output=pcent "$storage" | tail -n 1 | tr -d ' %'; }
available_kib() { df --output=avail -k "$storage" | tail -n 1 | tr -d ' '; }

# collects_images RUNTIME ENDPOINT: images of 6 MB each go least recently used first, down to
# the low watermark; the used, the kept and the sandboxes' image stay.
collects_images() {
  local runtime=$1 endpoint=$2 name used low
  for name in second used kept first never; do
    image_kib=6000 image "$name" "evictd.test/$name:1"
    import_image "${runtime/%docker/dockerd}" "$images/$name.tar"
    rm "$images/$name.tar"
  done
  use_image "$runtime" used
  # A first daemon sees which images come to be used, and keeps it over a restart.
  start_evictd "$endpoint" --image-gc-high-threshold=100
  await_log 10 'answers at'
  for name in first second; do
    use_image "$runtime" $name
    sleep 11 # it lists what runs every 10 s
    leave_image "$runtime" $name
  done
  stop_evictd
  used=$(used_percent)
  note "images fill $used% of their disk"
  # Two of them are less than what is to go, of the disk's 96 MB; containerd keeps each image
  # twice, packed and unpacked.
  low=$((used - 8))
  [ "$runtime" != containerd ] || low=$((used - 16))
  start_evictd "$endpoint" --image-gc-high-threshold="$used" --image-gc-low-threshold=$low \
    --minimum-image-ttl-duration=0s --keep-image='evictd.test/kept'
  wait_until 20 "two images go; by hand: $("$EVICTD" gc images --dry-run --container-runtime-endpoint="$endpoint" --image-gc-high-threshold="$used" --image-gc-low-threshold=$low 2>&1); $(tail -n 3 "$log")" logged 'removed 2 images'
  note "$(grep -F -m 1 'removed 2 images' "$log" | sed 's/.*INFO *//')"
  stop_evictd
  for name in never first; do ! has_image "$runtime" $name || fail "$name should have gone: $(image_names "$runtime")"; done
  for name in second used kept; do has_image "$runtime" $name || fail "$name should have stayed: $(image_names "$runtime")"; done
  grep -F -e 'removed 2 images' "$log" | grep -q 'never:1, .*first:1' || fail "not in the order of their use: $(grep removed "$log")"
  [ "$runtime" != containerd ] || image_names containerd | grep -q -e "$pause_image" || fail "the sandboxes' image has gone"
  # By hand: what stays, and why.
  "$EVICTD" gc images --all-unused --container-runtime-endpoint="$endpoint" --minimum-image-ttl-duration=0s --keep-image='evictd.test/kept'
  ! has_image "$runtime" second || fail "gc images --all-unused should have removed second"
  for name in used kept; do has_image "$runtime" $name || fail "$name should have stayed"; done
}

# exited RUNTIME NAME: a container that has ended; of what pod, the label says.
exited() {
  local sandbox id
  case "$1" in
    containerd)
      sandbox=$(cri runp "$2" "uid=dead-$2" "cgroup-parent=/kubepods/poddead-$2")
      id=$(cri run "$sandbox" main evictd.test/used:1 -- idle)
      cri stop "$id" >/dev/null
      cri stopp "$sandbox"
      ;;
    *)
      "${1}_run" "$2" evictd.test/used:1 '["idle"]' >/dev/null
      "${1}_api" POST "/containers/$2/stop?t=0" >/dev/null
      ;;
  esac
}

# containers_of RUNTIME: how many there are, in any state.
containers_of() {
  case "$1" in
    containerd) cri ps | grep -c 'state:' || true ;;
    *) "$1_api" GET '/containers/json?all=true' | jq length ;;
  esac
}

# starves_imagefs RUNTIME ENDPOINT: while images suffice, no pod goes; then dead containers go
# first, then images, then a pod, and what it wrote.
starves_imagefs() {
  local runtime=$1 endpoint=$2 name free filler=$storage/filler
  for name in used spare; do
    image_kib=12000 image "$name" "evictd.test/$name:1"
    import_image "${runtime/%docker/dockerd}" "$images/$name.tar"
    rm "$images/$name.tar"
  done
  use_image "$runtime" used
  free=$(available_kib)
  # 6 MB above what is free without the filler, which takes 12 MB: images are enough.
  start_evictd "$endpoint" --eviction-hard="imagefs.available<$((free - 6000))Ki" \
    --eviction-minimum-reclaim="imagefs.available=100Ki" --eviction-pressure-transition-period=1s \
    --image-gc-high-threshold=100 --minimum-image-ttl-duration=0s
  await_log 10 'answers at'
  fallocate -l 12000K "$filler"
  await_log 20 'imagefs.available is'
  await_log 20 'removed 1 image (evictd.test/spare:1)'
  await_log 10 'no threshold of it is met any more'
  not_logged 'evicting pod'
  rm "$filler"

  # Now with a dead container too, and a filler for which all of that is not enough. What the
  # writer writes into its layer makes it the one to go.
  image_kib=2000 image spare evictd.test/spare:1
  import_image "${runtime/%docker/dockerd}" "$images/spare.tar"
  exited "$runtime" dead
  "$runtime"_writer
  sleep 12 # it looks at what pods keep on disk every 10 s
  : >"$log"
  # As much as is above the threshold, and more than the images hold.
  fallocate -l $(($(available_kib) - free + 6000 + 12000))K "$filler"
  await_log 30 'evicting pod'
  note "$(grep -F -m 1 'evicting pod' "$log" | sed 's/.*INFO *//; s/(uid.*//')"
  [ "$(grep -o -E 'removed [0-9]+ (container|image)|evicting pod [a-z/]*' "$log" | head -n 3 | sed 's/[0-9][0-9]* //; s/pod .*writer/pod writer/' | tr '\n' ' ')" = 'removed container removed image evicting pod writer ' ] ||
    fail "not containers, images, pods: $(cat "$log")"
  has_image "$runtime" used || fail "an image in use has gone"
  rm "$filler"
  await_log 10 'is gone after'
  stop_evictd
}
docker_writer() { docker_run writer evictd.test/used:1 '["file","/held","4"]' >/dev/null; }
podman_writer() { podman_run writer evictd.test/used:1 '["file","/held","4"]' >/dev/null; }
containerd_writer() {
  local sandbox
  sandbox=$(cri runp writer uid=writer cgroup-parent=/kubepods/podwriter)
  cri run "$sandbox" main evictd.test/used:1 -- file /held 4 >/dev/null
}
