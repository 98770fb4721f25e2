# Sourced by runtimes.sh: what several scenarios do, whichever runtime they have.
#
#   available_mib                   memory.available now
#   memory_run RUNTIME NAME MIB     a container of the Docker API whose size "resize" sets;
#   cri_pod NAME MIB                a pod over CRI
#   has_image, use_image, leave_image RUNTIME NAME
#   put_image RUNTIME NAME KIB
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
