# Sourced by healthy, healthy-no-psi and healthy-day: a machine that is busy and well.
# shellcheck shell=dash
. "${0%/*}/lib.sh"

lasts=${SECONDS_OF_IT:-120}
machine=${scenario##*-} # of healthy-day
case $machine in zram | none) SWAP=$machine ;; esac
[ "${SWAP:-disk}" = disk ] || while read -r device _; do
  [ "$device" = Filename ] || swapoff "$device"
done </proc/swaps
if [ "${SWAP:-disk}" = zram ]; then
  for module in zsmalloc lzo-rle zram; do insmod "/modules/$module.ko"; done
  echo 256M >/sys/block/zram0/disksize
  mkswap /dev/zram0 >/dev/null
  swapon /dev/zram0
fi
# full's total, in microseconds; 0 where the kernel counts none.
lost() {
  lost=0
  [ ! -r /proc/pressure/memory ] || while read -r kind _ _ _ total; do
    [ "$kind" != full ] || lost=${total#total=}
  done </proc/pressure/memory
}

for name in database mapped journal builder backup archive boots; do manifest $name; done
manifest server request=96Mi
pod server workload deaf 90
wait_until 60 "the server has its memory" holds_mib server 90
start_evictd --eviction-hard='memory.available<10%,memory.stall>40%' --memory-relief=on \
  --housekeeping-interval=10s
dd if=/dev/urandom of="$disks/nodefs/data" bs=1M count=250 2>/dev/null
dd if=/dev/urandom of="$disks/nodefs/index" bs=1M count=60 2>/dev/null
# By the machine's own clock; --card of ci/vm goes by ours.
[ "$machine" != card ] || for disk in /sys/block/nvme*; do
  read -r number <"$disk/dev"
  echo "$number rbps=10000000 wbps=10000000 riops=500 wiops=500" >"$memory_pods/io.max"
done
# forever SECONDS WORK: with a rest of so long after it, where RESTS says so.
forever() { printf 'while :; do %s; sleep %s; done' "$2" $(($1 * ${RESTS:-0})); }
pod backup sh -c "$(forever 1800 "dd if=$disks/nodefs/data of=$disks/nodefs/copy bs=1M; md5sum $disks/nodefs/copy; rm $disks/nodefs/copy")"
pod builder sh -c "$(forever 1800 "for i in 1 2 3 4 5 6 7 8; do dd if=$disks/nodefs/data bs=1M count=3 | sort | md5sum & done; wait")"
pod archive sh -c "$(forever 14400 "gzip -1 -c $disks/nodefs/data >$disks/nodefs/packed; rm $disks/nodefs/packed")"
pause=$((20000 + 980000 * ${RESTS:-0})) # microseconds
pod database sh -c "$(forever 0 "at=\$(((at * 1103515245 + 12345) % 2147483648)); dd if=$disks/nodefs/data bs=64k count=4 skip=\$((at / 65536 % 3900)) of=/dev/null; usleep $pause")"
pod mapped workload mapped "$disks/nodefs/index" $((200 * ${RESTS:-0}))
pod journal workload writer "$disks/nodefs/journal"
pod boots sh -c "$(forever 600 "sleep 20; echo 3 >/proc/sys/vm/drop_caches; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do dd if=$disks/nodefs/index bs=1M count=3 skip=\$((i * 4)) | md5sum & done; wait")"

expect_health() {
  expect_events 0 evicting
  expect_events 0 reclaimed rung=brake
  expect_running server database mapped journal builder backup archive boots
  expect_no_oom_kill
}
clock
end=$((now + lasts * 1000))
most=0 hour=0 next_hour=$((now + 3600000))
lost
# Half a second apart. The first two looks tell of less than a second and a half.
first=$lost second=$lost third=$lost
first_at=$now second_at=$now third_at=$now
while [ "$now" -lt "$end" ]; do
  nap 0.5
  clock
  lost
  share=$(((lost - first) / 10 / (now - first_at)))
  [ $((now - first_at)) -lt 1400 ] || [ $share -le $most ] || most=$share
  first=$second second=$third third=$lost
  first_at=$second_at second_at=$third_at third_at=$now
  [ "$now" -ge $next_hour ] || continue
  expect_health
  hour=$((hour + 1)) next_hour=$((next_hour + 3600000))
  say "hour $hour: $most % of a second and a half were lost at most"
done
count_events met 'threshold=memory.stall>40%'
[ ! -r /proc/pressure/memory ] || note "$most % of a second and a half were lost at most in $lasts s, memory.stall was met $times times"
expect_health
stop_evictd
