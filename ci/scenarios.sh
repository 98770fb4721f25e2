# Sourced by ci/vm and ci/native after lib.sh: the scenarios and what they need.

workload=target/scenarios/workload
# ci/bench has scenarios of its own, and programs that these run.
scenarios=${EVICTD_SCENARIOS:-ci/scenarios}
programs=${EVICTD_PROGRAMS:-}

# header SCENARIO KEY: the values of the lines "# KEY: ..." at its top, one a line.
header() { sed -n "/^[^#]/q;s/^# $2: *//p" "$scenarios/$1"; }

# header_or SCENARIO KEY DEFAULT
header_or() {
  local value
  value=$(header "$1" "$2")
  printf '%s' "${value:-$3}"
}

# scenarios_on vm|native: the names of those that run there.
scenarios_on() {
  local file name
  for file in "$scenarios"/*; do
    name=${file##*/}
    [ -f "$file" ] && [ "$name" != lib.sh ] || continue
    [[ " $(header_or "$name" on vm) " != *" $1 "* ]] || say "$name"
  done
}

# Names in, names out: those that may take longest first.
by_length() {
  local name
  while read -r name; do
    printf '%s %s\n' "$(header_or "$name" seconds 120)" "$name"
  done | sort -k1,1nr -k2 | cut -d ' ' -f 2
}

# make_disk IMAGE TYPE SIZE [MKFS-OPTION...]
make_disk() {
  local image=$1 type=$2 size=$3
  shift 3
  truncate -s "$size" "$image"
  case "$type" in
    ext4) mke2fs -q -F -t ext4 -m 0 -O ^has_journal "$@" "$image" ;;
    xfs) mkfs.xfs -q -f "$@" "$image" ;;
    vfat) busybox mkdosfs "$image" ;;
    swap) busybox mkswap "$image" >/dev/null ;;
    *) die "a disk cannot be $type" ;;
  esac
}

# Sets EVICTD, and builds the workload where it is not as new as its source.
build_programs() {
  local source=ci/scenarios/workloads/workload.c
  if [ -z "${EVICTD:-}" ]; then
    ci/build-static >/dev/null
    EVICTD=$static_binary
  fi
  [ -x "$EVICTD" ] || die "$EVICTD is missing"
  [ "$workload" -nt "$source" ] && return
  need musl-gcc
  mkdir -p "${workload%/*}"
  musl-gcc -static -Os -s -Wall -Wextra -Werror "$source" -o "$workload.$$"
  mv "$workload.$$" "$workload"
}

# copy_programs DIR: all that a scenario may run, next to what the machine has.
copy_programs() {
  cp "$EVICTD" "$1/evictd"
  cp "$workload" "$1/workload"
  [ -z "$programs" ] || cp "$programs"/* "$1/"
}

# tell NAME START VERDICT TIMES LOG: the scenario's line with its notes, from the log on
# standard input; where it failed, the end of the log too. In one go, so that the lines
# of two do not mix.
tell() {
  local name=$1 start=$2 verdict=$3 times=$4 log=$5 text notes
  text=$(tr -d '\r')
  notes=$(sed -n 's/^evictd-note: //p' <<<"$text" | awk '{ printf "; %s", $0 }')
  {
    printf '%-22s %5.1f s  %s%s%s\n' "$name" "$(elapsed_since "$start")" "$verdict" "${times:+ ($times)}" "$notes"
    if [ "$verdict" != passed ]; then
      tail -n 60 <<<"$text" | sed 's/^/    /'
      say "    (all of it: $log)"
    fi
  } >"$scratch/tell.$name"
  cat "$scratch/tell.$name"
}
