#!/bin/sh
# How long earlyoom takes to kill a hog, from the moment when less is available than it was told.
#
# usage: earlyoom.sh MIB TIMES PROGRAM [ARGUMENT...]
#
# The level lies MIB below what is available now. Prints the microseconds of each time. To be run
# in a process id namespace of its own: the program can then kill nothing else.
set -eu

while read -r key value _; do
  case $key in
    MemTotal:) total=$value ;;
    MemAvailable:) left=$((value - ($1 << 10))) ;;
  esac
done </proc/meminfo
below=$(($1 << 20)) times=$2
shift 2
"$@" -r 0 -M "$left,$left" >&2 &
earlyoom=$!
out=$(mktemp)
trap 'kill -KILL $earlyoom; rm "$out"' EXIT
sleep 1
while [ "$times" -gt 0 ]; do
  # Not always at the same moment of its rounds.
  sleep "1.$((times * 37 % 70 + 10))"
  (echo 1000 >/proc/self/oom_score_adj && exec workload timed /proc/meminfo $(((total - left) << 10)) $below >"$out") &
  until grep -q waits "$out"; do sleep 0.05; done
  kill -USR1 $!
  wait $!
  sed -n 's/^killed //p' "$out"
  : >"$out"
  times=$((times - 1))
done
