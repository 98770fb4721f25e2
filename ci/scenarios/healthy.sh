# Sourced by healthy and healthy-no-psi: a machine that is busy and well.
# shellcheck shell=dash
. "${0%/*}/lib.sh"

lasts=${SECONDS_OF_IT:-120}
[ "${SWAP:-disk}" = disk ] || while read -r device _; do
  [ "$device" = Filename ] || swapoff "$device"
done </proc/swaps
# full's total, in microseconds; 0 where the kernel counts none.
lost() {
  lost=0
  [ ! -r /proc/pressure/memory ] || while read -r kind _ _ _ total; do
    [ "$kind" != full ] || lost=${total#total=}
  done </proc/pressure/memory
}

for name in database mapped journal builder backup archive boots; do manifest $name; done
manifest server request=96Mi
memory_pod server 90
start_evictd --eviction-hard='memory.available<10%,memory.stall>40%' --relief=reclaim,brake \
  --housekeeping-interval=10s
dd if=/dev/urandom of="$disks/nodefs/data" bs=1M count=250 2>/dev/null
dd if=/dev/urandom of="$disks/nodefs/index" bs=1M count=60 2>/dev/null
forever() { printf 'while :; do %s; done' "$1"; }
pod backup sh -c "$(forever "dd if=$disks/nodefs/data of=$disks/nodefs/copy bs=1M; md5sum $disks/nodefs/copy; rm $disks/nodefs/copy")"
pod builder sh -c "$(forever "for i in 1 2 3 4 5 6 7 8; do dd if=$disks/nodefs/data bs=1M count=3 | sort | md5sum & done; wait")"
pod archive sh -c "$(forever "gzip -1 -c $disks/nodefs/data >$disks/nodefs/packed; rm $disks/nodefs/packed")"
pod database sh -c "$(forever "at=\$(((at * 1103515245 + 12345) % 2147483648)); dd if=$disks/nodefs/data bs=64k count=4 skip=\$((at / 65536 % 3900)) of=/dev/null; usleep 20000")"
pod mapped workload mapped "$disks/nodefs/index"
pod journal workload writer "$disks/nodefs/journal"
pod boots sh -c "$(forever "sleep 20; echo 3 >/proc/sys/vm/drop_caches; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do dd if=$disks/nodefs/index bs=1M count=3 skip=\$((i * 4)) | md5sum & done; wait")"

clock
end=$((now + lasts * 1000))
most=0
while [ "$now" -lt "$end" ]; do
  lost
  before=$lost begun=$now
  nap 2
  clock
  lost
  share=$(((lost - before) / 10 / (now - begun)))
  [ $share -le $most ] || most=$share
done
read_count oom_kill /proc/vmstat
[ ! -r /proc/pressure/memory ] || note "$most % of two seconds were lost at most in $lasts s"
expect_events 0 evicting
expect_events 0 reclaimed rung=brake
expect_running server database mapped journal builder backup archive boots
expect_no_oom_kill
stop_evictd
