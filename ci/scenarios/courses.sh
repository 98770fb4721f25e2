# Sourced by runtimes.sh: what several scenarios do, whichever runtime they have.
#
#   available_mib                   memory.available now
#   memory_run RUNTIME NAME MIB     a container of the Docker API whose size "resize" sets;
#   cri_pod NAME MIB                a pod over CRI
#   has_image, use_image, leave_image RUNTIME NAME
<<<<<<< HEAD
#   put_image RUNTIME NAME KIB
=======
#   relieves_log RUNTIME SOCKET     a container fills the disk by its log, and runs on
>>>>>>> h-logs
# shellcheck shell=bash

# evictd_json COMMAND ENDPOINT FLAG...
evictd_json() {
  local command=$1 endpoint=$2
  shift 2
  evictd "$command" --json --container-runtime-endpoint="$endpoint" "$@"
}

available_mib() {
  evictd_json status '' | jq '.signals[] | select(.signal == "memory.available").available / 1048576 | floor'
}

# watch_runtime ENDPOINT FLAG...: starts evictd, and waits until the runtime has answered.
watch_runtime() {
  local endpoint=$1
  shift
  start_evictd --container-runtime-endpoint="$endpoint" "$@"
  await_event 10 runtime "endpoint=$endpoint"
}

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

has_stopped() { ! is_running "$@"; }

# restart_policy RUNTIME NAME
restart_policy() { "$1_api" GET "/containers/$2/json" | jq -r .HostConfig.RestartPolicy.Name; }

# cri_pod NAME MIB [KEY=VALUE...]: a pod over CRI whose container's size "resize" sets.
cri_pod() {
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

# put_image RUNTIME NAME KIB: an image with so much of its own, whose archive does not stay.
put_image() {
  image_kib=$3 image "$2" "evictd.test/$2:1"
  import_image "${1/%docker/dockerd}" "$images/$2.tar"
  rm "$images/$2.tar"
}

available_kib() { df --output=avail -k "$storage" | tail -n 1 | tr -d ' '; }
<<<<<<< HEAD
=======

# collects_images RUNTIME ENDPOINT: images of 6 MB each are removed, least recently used
# first, down to the low watermark; the used, the kept and the sandboxes' image stay.
collects_images() {
  local runtime=$1 endpoint=$2 name used low
  for name in second used kept first never; do
    image_kib=6000 image "$name" "evictd.test/$name:1"
    import_image "${runtime/%docker/dockerd}" "$images/$name.tar"
    rm "$images/$name.tar"
  done
  use_image "$runtime" used
  # A first daemon sees which images come to be used, and keeps it over a restart.
  watch_runtime "$endpoint" --image-gc-high-threshold=100
  for name in first second; do
    use_image "$runtime" $name
    sleep 11 # it lists what runs every 10 s
    leave_image "$runtime" $name
  done
  stop_evictd
  used=$(used_percent)
  note "images fill $used% of their disk"
  # Two of them are less than what is to be freed, of the disk's 96 MB; containerd keeps each image
  # twice, packed and unpacked.
  low=$((used - 8))
  [ "$runtime" != containerd ] || low=$((used - 16))
  watch_runtime "$endpoint" --image-gc-high-threshold="$used" --image-gc-low-threshold=$low \
    --minimum-image-ttl-duration=0s --keep-local-images=false --keep-image='evictd.test/kept'
  await_event 20 reclaimed images=2
  # In the order of their use.
  value imageNames
  case $value in *never:1,*first:1*) ;; *) fail "not in the order of their use: $value" ;; esac
  value freedBytes
  note "2 images removed, $((value >> 20)) MiB freed"
  stop_evictd
  for name in never first; do ! has_image "$runtime" $name || fail "$name should have been removed: $(image_names "$runtime")"; done
  for name in second used kept; do has_image "$runtime" $name || fail "$name should have stayed: $(image_names "$runtime")"; done
  [ "$runtime" != containerd ] || image_names containerd | grep -q -e "$pause_image" || fail "the sandboxes' image was removed"
  # By hand: what stays, and why. These images were loaded, so no registry gave them a
  # digest; Podman writes one of its own.
  local flags=(--all-unused --container-runtime-endpoint="$endpoint" --minimum-image-ttl-duration=0s --keep-image='evictd.test/kept')
  if [ "$runtime" != podman ]; then
    evictd gc images "${flags[@]}"
    has_image "$runtime" second || fail "second exists only here and should have stayed"
  fi
  evictd gc images "${flags[@]}" --keep-local-images=false
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

# fills_imagefs RUNTIME ENDPOINT: while removing images suffices, no pod is evicted; then
# dead containers are removed first, then images, and a pod is evicted last.
fills_imagefs() {
  local runtime=$1 endpoint=$2 name free filler=$storage/filler
  for name in used spare; do
    image_kib=12000 image "$name" "evictd.test/$name:1"
    import_image "${runtime/%docker/dockerd}" "$images/$name.tar"
    rm "$images/$name.tar"
  done
  use_image "$runtime" used
  free=$(available_kib)
  # 14 MB below what is free without the filler, which takes 20 MB: images are enough.
  watch_runtime "$endpoint" --eviction-hard="imagefs.available<$((free - 14000))Ki" \
    --eviction-minimum-reclaim="imagefs.available=100Ki" --eviction-pressure-transition-period=1s \
    --image-gc-high-threshold=100 --minimum-image-ttl-duration=0s \
    --keep-local-images=false --collect-dead-containers=all
  fallocate -l 20000K "$filler"
  await_event 20 met signal=imagefs.available
  await_event 20 reclaimed images=1 imageNames=evictd.test/spare:1
  await_event 10 cleared signal=imagefs.available
  expect_events 0 evicting
  rm "$filler"

  # Now with a dead container too, and a filler for which all of that is not enough. What the
  # writer writes into its layer makes it the one to be evicted.
  image_kib=2000 image spare evictd.test/spare:1
  import_image "${runtime/%docker/dockerd}" "$images/spare.tar"
  exited "$runtime" dead
  "$runtime"_writer
  sleep 12 # it looks at what pods keep on disk every 10 s
  # As much as is above the threshold, and more than the images hold.
  fallocate -l $(($(available_kib) - free + 14000 + 12000))K "$filler"
  await_event 30 evicting pod=writer
  value available
  note "writer evicted with $((value >> 10)) KiB left"
  [ "$(course)" = 'images containers images writer' ] || fail "not containers, images, pods: $(course)"
  has_image "$runtime" used || fail "an image in use was removed"
  rm "$filler"
  await_event 10 killed pod=writer
  stop_evictd
}
# course: what was removed and which pods were evicted, the first four of them.
course() {
  jq -r -s 'map(select(.event == "reclaimed" or .event == "evicting")
    | if .pod then .pod elif .containers > 0 and .images > 0 then "both" elif .containers > 0 then "containers"
      elif .images > 0 then "images" else empty end) | .[:4] | join(" ")' "$log"
}
docker_writer() { docker_run writer evictd.test/used:1 '["file","/held","10"]' >/dev/null; }
podman_writer() { podman_run writer evictd.test/used:1 '["file","/held","10"]' >/dev/null; }
containerd_writer() {
  local sandbox
  sandbox=$(cri runp writer uid=writer cgroup-parent=/kubepods/podwriter)
  cri run "$sandbox" main evictd.test/used:1 -- file /held 10 >/dev/null
}

# --- volumes -----------------------------------------------------------------------

# fills_volumes RUNTIME ENDPOINT: who fills a volume is stopped, and who fills a directory of
# the node; who only reads the volume and who holds 19 MiB in its layer run on.
fills_volumes() {
  local runtime=$1 endpoint=$2 place
  "${runtime}_run" innocent evictd.test/one:1 '["file","/held","19"]' >/dev/null
  writes_to "$runtime" hog media
  "${runtime}_run" reader evictd.test/one:1 '["idle"]' '{"HostConfig":{"Binds":["media:/m:ro"]}}' >/dev/null
  place=$("${runtime}_api" GET /containers/hog/json | jq -r '.Mounts[] | select(.Destination == "/m") | .Source')
  fills_place "$runtime" "$endpoint" hog "$place"
  is_running "$runtime" reader || fail "reader should run"
  is_running "$runtime" innocent || fail "innocent should run"
  mkdir -p "$storage/srv/app"
  writes_to "$runtime" bound "$storage/srv/app"
  fills_place "$runtime" "$endpoint" bound "$storage/srv/app"
  is_running "$runtime" innocent || fail "innocent should run"
}

# fills_directory RUNTIME ENDPOINT: the same over CRI, which knows no volumes.
fills_directory() {
  local runtime=$1 endpoint=$2 sandbox innocent
  sandbox=$(cri runp innocent uid=innocent cgroup-parent=/kubepods/podinnocent)
  innocent=$(cri run "$sandbox" main evictd.test/one:1 -- file /held 19)
  mkdir -p "$storage/srv/app"
  sandbox=$(cri runp bound uid=bound cgroup-parent=/kubepods/podbound)
  cri run "$sandbox" main evictd.test/one:1 "mount=$storage/srv/app:/m" -- filler /m/held /m/rate >/dev/null
  fills_place "$runtime" "$endpoint" bound "$storage/srv/app"
  [ "$(in_containerd task list | grep -c "^$innocent .*RUNNING")" = 1 ] || fail "innocent should run"
}

# writes_to RUNTIME NAME MOUNT: a container that writes there what the file "rate" there says.
writes_to() {
  "${1}_run" "$2" evictd.test/one:1 '["filler","/m/held","/m/rate"]' \
    "$(jq -n -c --arg mount "$3:/m" '{HostConfig: {Binds: [$mount]}}')" >/dev/null
}

# fills_place RUNTIME ENDPOINT NAME PLACE: half of the disk is left to what NAME writes to
# PLACE; NAME alone is evicted, and what it wrote stays.
fills_place() {
  local runtime=$1 endpoint=$2 name=$3 place=$4 kept
  rm -rf "$work/state"
  watch_runtime "$endpoint" --image-gc-high-threshold=100 --keep-image='*' \
    --eviction-hard="imagefs.available<$(($(available_kib) / 2))Ki" --eviction-pressure-transition-period=1s
  echo 300 >"$place/rate"
  await_event 60 evicting signal=imagefs.available
  expect_evicted "$name"
  await_event 20 killed "pod=$name" "volume=$place"
  value volumeBytes
  [ "$value" -gt $((19 << 20)) ] || fail "$value bytes are told of what $name wrote"
  sleep 1
  kept=$(stat -c %s "$place/held")
  quiet 5
  expect_evicted "$name"
  [ "$(stat -c %s "$place/held")" = "$kept" ] || fail "what $name wrote did not stay as it was"
  note "$name was stopped, and its $((kept >> 20)) MiB stay"
  stop_evictd
  rm "$place/held"
}

# --- live logs: the same for dockerd and Podman ------------------------------------

# numbers FILE: of the lines of "workload log" in it.
numbers() { grep -a -o '[0-9]\{12\} x' "$1" | cut -c -12; }

# breaks FILE: how often a line there does not follow the one before it.
breaks() { numbers "$1" | awk 'NR > 1 && $1 + 0 != last + 1 { breaks++ } { last = $1 + 0 } END { print breaks + 0 }'; }

# read_log_of SOCKET NAME QUERY FILE: what "docker logs" asks for.
read_log_of() {
  curl --silent --show-error --fail --no-buffer --max-time "${log_seconds:-10}" --output "$4" --unix-socket "$1" \
    "http://localhost/containers/$2/logs?stdout=1&stderr=1&$3"
}

# tail_of SOCKET NAME: its last 100 lines follow each other.
tail_of() {
  read_log_of "$1" "$2" tail=100 "$work/tail"
  local lines
  lines=$(numbers "$work/tail" | wc -l)
  [ "$lines" -ge 99 ] || fail "--tail 100 gives $lines lines"
  [ "$(breaks "$work/tail")" = 0 ] || fail "--tail 100 has a gap: $(numbers "$work/tail" | tr '\n' ' ')"
}

last_followed() { tail -c 20000 "$work/followed" >"$work/followed.end" && numbers "$work/followed.end" | tail -n 1; }
follows_on() { [ "$((10#$(last_followed)))" -gt "$((10#$1))" ]; }

# watch_disk KIB: into $work/short, for how many milliseconds the disk had less than so much.
watch_disk() {
  local since=
  while :; do
    clock
    if [ "$(available_kib)" -lt "$1" ]; then
      since=${since:-$now}
    elif [ -n "$since" ]; then
      echo $((now - since)) >>"$work/short"
      since=
    fi
    nap 0.02
  done
}

# fills_disk NAME: so that the disk is short of 100 MiB, by the log of a container that runs;
# twice.
fills_disk() {
  watch_disk 102400 &
  resize "$1" 500 # 25 MB/s, as lines of 1 KiB
  await_event 60 reclaimed rung=logs logs=1
  value lostFrom && [ -n "$value" ] || fail "what was lost is not told in time: $line"
  value freedBytes
  note "a log gave $((value >> 20)) MiB back"
  await_events 60 2 reclaimed rung=logs
  resize "$1" 10
  await_event 20 cleared signal=imagefs.available
  expect_events 0 evicting
  nap 0.2
  note "the disk was short for $(tr '\n' ' ' <"$work/short")ms"
}

# watch_logs ENDPOINT: evictd, which gives up the old part of logs.
watch_logs() {
  watch_runtime "$1" --eviction-hard="imagefs.available<100Mi" --eviction-minimum-reclaim=imagefs.available=50Mi \
    --eviction-pressure-transition-period=1s
}

# relieves_log RUNTIME SOCKET: a container fills the disk by its log, again and again: it loses
# the log's old part, and runs on; its readers too.
relieves_log() {
  local runtime=$1 socket=$2 seen
  resize writer 10
  "${runtime}_run" writer evictd.test/one:1 '["log", "/sizes/writer"]' \
    "$(jq -n -c --arg sizes "$sizes:/sizes" '{HostConfig: {Binds: [$sizes]}}')" >/dev/null
  watch_logs "unix://$socket"
  log_seconds=100 read_log_of "$socket" writer 'follow=1&tail=1' "$work/followed" &
  sleep 1
  tail_of "$socket" writer
  fills_disk writer
  seen=$(last_followed)
  wait_until 20 "logs -f goes on after $seen" follows_on "$seen"
  note "logs -f went on with $(breaks "$work/followed") breaks"
  tail_of "$socket" writer
  is_running "$runtime" writer || fail "the writer has ended"
  # 16 MiB stay of it at least.
  seen=$(stat -c '%b %B' "$(log_of "$runtime" writer)")
  [ "$((${seen% *} * ${seen#* }))" -ge $((16 << 20)) ] || fail "too little of the log is left: $seen"
}
log_of() { "$1_api" GET "/containers/$2/json" | jq -r '.HostConfig.LogConfig.Path // .LogPath'; }
>>>>>>> h-logs
