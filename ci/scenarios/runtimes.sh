# Sourced by the scenarios "on: runtimes" instead of lib.sh, which it sources: images made on
# the spot, the three container runtimes of Debian's packages, and how to talk to each of
# them. bash.
#
# Everything is below $work, a directory of the scenario's own, and each runtime's socket
# too; nothing is at a default path. ci/runtimes gives a scenario namespaces for mounts,
# processes and IPC, so that all it starts ends with it; ci/vm a machine.
#
#   image APP NAME...        makes the archive $images/APP.tar: a base that all share, a
#                            layer of its own, and these names
#   provide RUNTIME APP...   starts containerd, docker or podman with an image of each, and sets
#                            $endpoint; of a scenario "# runtimes: ..." $runtime says which
#   start_containerd, start_dockerd, start_podman
#   import_image RUNTIME FILE...   containerd, dockerd or podman
#   docker_api METHOD PATH [CURL-ARGUMENT...]   the Docker API; podman_api the same of Podman's
#   docker_run NAME IMAGE COMMAND-AS-JSON [MORE-AS-JSON]   a container; podman_run of Podman's
#   in_podman ARGUMENT...    podman's command line
#   busybox_image            makes $images/busybox.tar, busybox as everyone knows it
#   at_home SOCKET PLACE     the runtime's socket where it is on a node
#   own_nodefs               nodefs is the scenario's own, not the disk of this machine
#   cri COMMAND ...          pods and containers over CRI, see crates/containers/examples/crictl.rs
#   from_debian SUITE        the runtimes of a later release in place of Debian 12's
#   kill_daemon NAME         SIGKILL for containerd, dockerd or podman, and waits for its end
#   available_mib            memory.available now
#   memory_run RUNTIME NAME MIB   a container of the Docker API whose size "resize" sets;
#   cri_pod NAME MIB         a pod over CRI
#   has_image, use_image, leave_image RUNTIME NAME; put_image RUNTIME NAME KIB
# shellcheck shell=bash

. "${0%/*}/lib.sh"

# shellcheck disable=SC2034
runtime=${scenario##*-}
images=$work/images
containerd_socket=$work/containerd.sock
docker_socket=$work/docker.sock
podman_socket=$work/podman.sock
pause_image=evictd.test/pause:1
# Where the runtimes keep images and containers: on the scenario's disk "images" if it has one.
storage=$work/storage
[ ! -d "$disks/images" ] || storage=$disks/images
mkdir -p "$images" "$storage"

# Pods are what the runtimes list.
evictd_defaults=

# --- images ------------------------------------------------------------------------

# docker_archive FILE COMMAND LAYER-TAR... -- NAME...: the layers as an image that ctr, podman
# and dockerd all take.
docker_archive() {
  local file=$1 command=$2 layers=() diffs=() names=() tree layer digest config
  shift 2
  while [ "$1" != -- ]; do layers+=("$1"); shift; done
  shift
  tree=$(mktemp -d -p "$work")
  local listed=()
  for layer in "${layers[@]}"; do
    digest=$(sha256sum <"$layer")
    digest=${digest%% *}
    diffs+=("\"sha256:$digest\"")
    cp "$layer" "$tree/$digest.tar"
    listed+=("\"$digest.tar\"")
  done
  for layer; do names+=("\"$layer\""); done
  config=$(IFS=,; printf '{"architecture":"amd64","os":"linux","created":"2024-01-01T00:00:00Z","config":{"Entrypoint":%s,"Env":["PATH=/bin"]},"rootfs":{"type":"layers","diff_ids":[%s]}}' \
    "$command" "${diffs[*]}")
  digest=$(printf '%s' "$config" | sha256sum)
  digest=${digest%% *}
  printf '%s' "$config" >"$tree/$digest.json"
  (IFS=,; printf '[{"Config":"%s.json","RepoTags":[%s],"Layers":[%s]}]' "$digest" "${names[*]}" "${listed[*]}") >"$tree/manifest.json"
  tar -C "$tree" -c -f "$file" .
  rm -rf "$tree"
}

# layer FILE FOLDER
layer() { tar -C "$2" -c -f "$1" --owner=0 --group=0 --numeric-owner .; }

# The base: the scenarios' workload as /bin/workload (idle, deaf, polite, memory, ...), no
# shell. 300 KB of padding, because the size of what is shared shall be seen.
base_layer() {
  [ -s "$images/base.layer" ] && return
  local tree
  tree=$(mktemp -d -p "$work")
  mkdir -p "$tree/bin" "$tree/etc" "$tree/tmp" "$tree/proc" "$tree/sys" "$tree/dev"
  cp "$(command -v workload)" "$tree/bin/workload"
  head -c 300K /dev/urandom >"$tree/padding"
  printf 'root:x:0:0:root:/:/bin/workload\n' >"$tree/etc/passwd"
  layer "$images/base.layer" "$tree"
  rm -rf "$tree"
}

# image APP NAME...: $images/APP.tar; 400 KB of its own.
image() {
  local app=$1 tree
  shift
  base_layer
  tree=$(mktemp -d -p "$work")
  head -c "${image_kib:-400}K" /dev/urandom >"$tree/$app"
  layer "$images/$app.layer" "$tree"
  rm -rf "$tree"
  docker_archive "$images/$app.tar" '["/bin/workload"]' "$images/base.layer" "$images/$app.layer" -- "$@"
}

# What the commands of the book run: the image of that name, with the programs that they use.
busybox_image() {
  local tree program
  tree=$(mktemp -d -p "$work")
  mkdir "$tree/bin" "$tree/tmp" "$tree/proc" "$tree/sys" "$tree/dev"
  cp "$(command -v busybox)" "$tree/bin/busybox"
  for program in dd sh sleep tail; do ln -s busybox "$tree/bin/$program"; done
  layer "$images/busybox.layer" "$tree"
  rm -rf "$tree"
  docker_archive "$images/busybox.tar" '[]' "$images/busybox.layer" -- docker.io/library/busybox:latest
}

# /run is the scenario's own.
at_home() {
  mkdir -p "${2%/*}"
  ln -s "$1" "$2"
}

# For what runs with the default thresholds of disks.
own_nodefs() { mount -t tmpfs -o size=64M nodefs /var/lib; }

# The image of sandboxes: it only waits.
pause_archive() {
  [ -s "$images/pause.tar" ] && return
  local tree
  tree=$(mktemp -d -p "$work")
  mkdir "$tree/bin"
  cp "$(command -v workload)" "$tree/bin/workload"
  layer "$images/pause.layer" "$tree"
  rm -rf "$tree"
  docker_archive "$images/pause.tar" '["/bin/workload","idle"]' "$images/pause.layer" -- "$pause_image"
}

# --- daemons -----------------------------------------------------------------------

declare -A daemons=()

# from_debian SUITE: bookworm, trixie or forky. Without their runc and conmon, which take a
# newer libc.
from_debian() {
  local suite=$1 usr=$PWD/target/tools/$1-runtimes/usr name
  export PATH=${PATH#"$work"/runtimes-*:}
  podman_suite=
  [ "$suite" != bookworm ] || return 0
  [ -x "$usr/bin/containerd" ] || fail "$usr/bin/containerd is missing: run ci/install"
  mkdir -p "$work/runtimes-$suite"
  for name in bin/containerd bin/ctr bin/containerd-shim-runc-v2 sbin/dockerd bin/podman; do
    [ ! -e "$usr/$name" ] || ln -sf "$usr/$name" "$work/runtimes-$suite/"
  done
  [ ! -e "$usr/bin/podman" ] || podman_suite=$suite
  PATH=$work/runtimes-$suite:$PATH
}

# daemon NAME COMMAND...: in the background, what it says into $work/NAME.log.
daemon() {
  local name=$1
  shift
  "$@" </dev/null >>"$work/$name.log" 2>&1 &
  daemons[$name]=$!
}

# ready NAME COMMAND...: until COMMAND succeeds, or the daemon has ended.
ready() {
  local name=$1 tries=600
  shift
  until "$@" >/dev/null 2>&1; do
    tries=$((tries - 1))
    if [ "$tries" = 0 ] || ! kill -0 "${daemons[$name]}" 2>/dev/null; then
      tail -n 20 "$work/$name.log" >&2
      fail "$name does not come up"
    fi
    sleep 0.05
  done
}

kill_daemon() {
  kill -KILL "${daemons[$1]}"
  wait "${daemons[$1]}" 2>/dev/null || true
  unset "daemons[$1]"
}

# restrict_oom_score_adj: where oom_score_adj may not be lowered. The pause image is made
# here; without a network plugin pods live in the host's network.
containerd_config() {
  cat <<END
version = 2
root = "$storage/containerd"
state = "$work/containerd"
oom_score = 0
[grpc]
  address = "$containerd_socket"
[ttrpc]
  address = "$containerd_socket.ttrpc"
[plugins."io.containerd.internal.v1.opt"]
  path = "$work/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "$pause_image"
  restrict_oom_score_adj = true
  stream_server_address = "127.0.0.1"
  stream_server_port = "0"
  stats_collect_period = ${stats_seconds:-10}
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "$work/cni"
    conf_dir = "$work/cni"
END
}

# Starts it, or starts it again over what it held.
start_containerd() {
  containerd_config >"$work/containerd.toml"
  daemon containerd containerd --config "$work/containerd.toml"
  ready containerd in_containerd version
  ready containerd cri version
  [ -n "$(in_containerd image list -q "name==$pause_image")" ] || {
    pause_archive
    import_image containerd "$images/pause.tar"
  }
}

# in_containerd ARGUMENT...: ctr, in the namespace that CRI uses.
in_containerd() { ctr --address "$containerd_socket" --namespace k8s.io "$@"; }

# It uses the containerd of this scenario. No bridge, no rules of the firewall.
start_dockerd() {
  [ -n "${daemons[containerd]:-}" ] || start_containerd
  mkdir -p "$work/docker-config"
  printf '{"deprecated-key-path": "%s/docker-config/key.json"}\n' "$work" >"$work/docker-config/daemon.json"
  rm -f "$work/docker.pid"
  daemon dockerd env HOME="$work" dockerd --config-file "$work/docker-config/daemon.json" \
    --host "unix://$docker_socket" --containerd "$containerd_socket" \
    --data-root "$storage/docker" --exec-root "$work/docker-exec" --pidfile "$work/docker.pid" \
    --bridge none --iptables=false --ip6tables=false --ip-forward=false --ip-masq=false \
    --userland-proxy=false --exec-opt native.cgroupdriver=cgroupfs "$@"
  ready dockerd docker_api GET /_ping
}

podman_config() {
  cat <<END
[containers]
cgroupns = "host"
netns = "host"
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
lock_type = "file"
runtime = "runc"
helper_binaries_dir = ["$PWD/target/tools/${podman_suite:-bookworm}-runtimes/usr/lib/podman", "/usr/lib/podman", "/usr/libexec/podman"]
static_dir = "$storage/podman/libpod"
volume_path = "$storage/podman/volumes"
tmp_dir = "$work/podman/tmp"
[network]
network_config_dir = "$work/podman/networks"
END
}

start_podman() {
  mkdir -p "$work/podman"
  podman_config >"$work/podman/containers.conf"
  printf '[storage]\ndriver = "overlay"\ngraphroot = "%s"\nrunroot = "%s"\n' \
    "$storage/podman" "$work/podman/run" >"$work/podman/storage.conf"
  printf '' >"$work/podman/registries.conf"
  printf '{"default": [{"type": "insecureAcceptAnything"}]}\n' >"$work/podman/policy.json"
  # The process itself, so that it can be stopped and killed.
  exec=exec daemon podman in_podman system service --time 0 "unix://$podman_socket"
  ready podman podman_api GET /_ping
}

in_podman() {
  ${exec:-} env -u XDG_RUNTIME_DIR PODMAN_IGNORE_CGROUPSV1_WARNING=1 HOME="$work/podman" TMPDIR="$work/podman" CONTAINERS_CONF="$work/podman/containers.conf" \
    CONTAINERS_STORAGE_CONF="$work/podman/storage.conf" CONTAINERS_REGISTRIES_CONF="$work/podman/registries.conf" \
    podman "$@"
}

# import_image RUNTIME FILE...
import_image() {
  local runtime=$1 file name
  shift
  for file; do
    case "$runtime" in
      containerd)
        in_containerd image import "$file" >/dev/null
        # The CRI plugin hears of it a moment later.
        for name in $(archive_names "$file"); do
          wait_until 10 "$name over CRI" cri image "$name"
        done
        ;;
      dockerd) docker_api POST /images/load --header 'Content-Type: application/x-tar' --data-binary "@$file" >/dev/null ;;
      podman) in_podman load --quiet --input "$file" >/dev/null ;;
      *) fail "there is no runtime $runtime" ;;
    esac
  done
}

provide() {
  local daemon=${1/%docker/dockerd} socket=${1}_socket app
  shift
  "start_$daemon"
  for app; do
    image "$app" "evictd.test/$app:1"
    import_image "$daemon" "$images/$app.tar"
  done
  endpoint=unix://${!socket}
}

archive_names() { tar -x -O -f "$1" ./manifest.json | jq -r '.[].RepoTags[]'; }

# --- their interfaces --------------------------------------------------------------

# api SOCKET METHOD PATH [CURL-ARGUMENT...]: the answer's body; one of 400 and above is
# printed on standard error, and a failure.
api() {
  local socket=$1 method=$2 path=$3 answer
  shift 3
  if answer=$(curl --silent --show-error --fail-with-body --max-time 60 --unix-socket "$socket" --request "$method" "$@" "http://localhost$path"); then
    printf '%s\n' "$answer"
  else
    printf '%s\n' "$method $path: $answer" >&2
    return 1
  fi
}
docker_api() { api "$docker_socket" "$@"; }
podman_api() { api "$podman_socket" "$@"; }

# run_over SOCKET NAME IMAGE COMMAND-AS-JSON [MORE-OF-THE-REQUEST-AS-JSON]: makes a container
# and starts it; prints its id.
run_over() {
  local socket=$1 id
  id=$(jq -n -c --arg image "$3" --argjson command "$4" --argjson more "${5:-null}" \
    '{Image: $image, Cmd: $command, HostConfig: {NetworkMode: "host"}} * ($more // {})' |
    api "$socket" POST "/containers/create?name=$2" --header 'Content-Type: application/json' --data-binary @-)
  id=$(jq -r .Id <<<"$id")
  api "$socket" POST "/containers/$id/start" >/dev/null
  printf '%s\n' "$id"
}
docker_run() { run_over "$docker_socket" "$@"; }
podman_run() { run_over "$podman_socket" "$@"; }

cri() { crictl "$containerd_socket" "$@"; }

# --- what several scenarios do, whichever runtime they have -------------------------

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

# stays_stopped RUNTIME NAME: whether it comes to rest: three looks in a row, a second apart,
# find it stopped. A runtime whose machine is busy starts it some times more before it hears
# that it shall not.
stays_stopped() {
  local looks=0 stopped=0
  while [ $((looks += 1)) -le 20 ]; do
    if is_running "$@"; then stopped=0; else stopped=$((stopped + 1)); fi
    [ $stopped -lt 3 ] || return 0
    sleep 1
  done
  return 1
}

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

has_image() { grep -q -e "evictd.test/$2:1$" <<<"$(image_names "$1")"; }

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
