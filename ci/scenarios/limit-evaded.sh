# Sourced by limit-evaded-xfs and limit-evaded-btrfs: what a container does with its files so
# that more, or less, of its evictd.disk-limit seems to be used than it holds. Holes and further
# names of one file take nothing. Reserved blocks, and copies that share their blocks, count in
# full, as du counts them.
# shellcheck shell=bash
. "${0%/*}/runtimes.sh"

image one evictd.test/one:1
start_dockerd --storage-driver overlay2
import_image dockerd "$images/one.tar"
declare -A root_of
for name in holes names reserved copies; do
  docker_run $name evictd.test/one:1 '["idle"]' '{"Labels": {"evictd.disk-limit": "24Mi"}}' >/dev/null
  root_of[$name]=/proc/$(docker_api GET /containers/$name/json | jq .State.Pid)/root
done
watch_runtime "unix://$docker_socket" --eviction-hard='imagefs.available<5%' --image-gc-high-threshold=100

truncate -s 1G "${root_of[holes]}/file"
fallocate -l 16M "${root_of[names]}/file"
for name in {1..20}; do ln "${root_of[names]}/file" "${root_of[names]}/$name"; done
# Nothing can be read of it, and its blocks are taken all the same.
: >"${root_of[reserved]}/file"
fallocate --keep-size -l 40M "${root_of[reserved]}/file"
head -c 8M /dev/urandom >"${root_of[copies]}/file"
for name in {1..4}; do cp --reflink=always "${root_of[copies]}/file" "${root_of[copies]}/$name"; done
for name in reserved copies; do await_event 45 killed pod=$name; done
sleep 12
expect_events 2 killed
for name in holes names; do
  [ "$(docker_api GET /containers/$name/json | jq .State.Running)" = true ] || fail "$name should run on"
done
