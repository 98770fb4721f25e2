# Sourced by ci/vm, ci/native and ci/runtimes after lib.sh: the scenarios, what they need,
# and how a number of them is run.

. ci/architectures.sh
architecture x86_64
workloads=target/scenarios
# ci/bench has scenarios of its own, and programs that these run.
scenarios=${EVICTD_SCENARIOS:-ci/scenarios}
programs=${EVICTD_PROGRAMS:-}
names=()

# header SCENARIO KEY: the values of the lines "# KEY: ..." at its top, one a line.
header() { sed -n "/^[^#]/q;s/^# $2: *//p" "$scenarios/$1"; }

# header_or SCENARIO KEY DEFAULT
header_or() {
  local value
  value=$(header "$1" "$2")
  printf '%s' "${value:-$3}"
}

# scenarios_on vm|native|runtimes: the names of those that run there.
scenarios_on() {
  local file name
  for file in "$scenarios"/*; do
    name=${file##*/}
    [ -f "$file" ] && [ "$name" = "${name%.sh}" ] || continue
    ! is_on "$name" "$1" || say "$name"
  done
}
# is_on SCENARIO PLACE
is_on() { [[ " $(header_or "$1" on vm) " == *" $2 "* ]]; }

# take_argument PLACE ARGUMENT: one that all three know: --list, --help, or a name of a
# scenario, which is added to $names.
take_argument() {
  case "$2" in
    --list) scenarios_on "$1"; exit ;;
    -h | --help) usage; exit ;;
    -*) usage_error "unknown option $2" ;;
    *)
      scenarios_on "$1" | grep -xF -e "$2" >/dev/null || usage_error "there is no scenario $2"
      names+=("$2")
      ;;
  esac
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

# Sets EVICTD, builds those of ci/scenarios/workloads that are not as new as their source, and
# takes the commands that scenarios run out of the book.
build_programs() {
  local source program
  if [ -z "${EVICTD:-}" ]; then
    ci/build-static --target "$arch" >/dev/null
    EVICTD=target/static/$arch/evictd
  fi
  [ -x "$EVICTD" ] || die "$EVICTD is missing"
  mkdir -p "$workloads/book"
  need python3
  python3 ci/book.d/blocks.py write "$workloads/book"
  for source in ci/scenarios/workloads/*.c; do
    program=$workloads/$(basename "$source" .c)
    [ "$program" -nt "$source" ] && continue
    need "$compiler"
    compile "$source" "$program.$$"
    mv "$program.$$" "$program"
  done
}

# Sets programs to a folder of what scenarios "on: runtimes" run besides.
build_clients() {
  local clients=(crictl cri_backend docker_backend)
  need_cargo
  cargo build -q --release -p evictd-containers --features cri,docker "${clients[@]/#/--example=}"
  programs=$scratch/programs
  mkdir "$programs"
  cp "${clients[@]/#/target/release/examples/}" "$programs/"
}

# copy_programs DIR: all that a scenario may run, next to what the machine has.
copy_programs() {
  local source
  cp "$EVICTD" "$1/evictd"
  for source in ci/scenarios/workloads/*.c; do cp "$workloads/$(basename "$source" .c)" "$1/"; done
  [ -z "$programs" ] || cp "$programs"/* "$1/"
  cp "$workloads/book"/* "$1/"
}

# conclude NAME START STATUS LOG [RESULT [TIMES]]: the scenario's line, with its notes from
# the log; where it failed, the end of the log too. RESULT stands for what STATUS, an exit
# code, means. In one go, so that the lines of two do not mix. Fails if the scenario did.
conclude() {
  local name=$1 start=$2 log=$4 result=${5:-} times=${6:-} text notes
  case "$3/$result" in
    124/* | 137/*) result="failed: not done in time" ;;
    */?*) ;;
    0/) result=passed ;;
    *) result="failed: exit $3" ;;
  esac
  text=$(tr -d '\r' <"$log")
  notes=$(sed -n 's/^evictd-note: //p' <<<"$text" | awk '{ printf "; %s", $0 }')
  {
    printf '%-22s %5.1f s  %s%s%s\n' "$name" "$(elapsed_since "$start")" "$result" "${times:+ ($times)}" "$notes"
    if [ "$result" != passed ]; then
      tail -n 60 <<<"$text" | sed 's/^/    /'
      say "    (all of it: $log)"
    fi
  } >"$scratch/conclusion.$name"
  cat "$scratch/conclusion.$name"
  [ "$result" = passed ] || return 1
  rm -f "$log"
}

# run_all JOBS: "run NAME" for each of $names, so many at once; says how many passed, and
# fails if one did not.
run_all() {
  local name running=0 passed=0 failed=0
  for name in "${names[@]}"; do
    [ "$running" -lt "$1" ] || reap
    run "$name" &
    running=$((running + 1))
  done
  while [ "$running" -gt 0 ]; do reap; done
  say "$passed passed, $failed failed"
  [ "$failed" = 0 ]
}
reap() {
  if wait -n; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
  running=$((running - 1))
}

# Ends what runs; each job passes the signal on to what it has started.
stop_all() {
  local job
  for job in $(jobs -pr); do
    kill "$job" 2>/dev/null || true
  done
  wait
}
trap 'exit 130' INT
trap 'exit 143' TERM

# run_process COMMAND...: in the background, so that a signal to this job ends it. Sets
# $status to how it ended.
run_process() {
  local process
  status=0
  "$@" &
  process=$!
  trap 'kill "$process" 2>/dev/null; wait "$process"; exit 143' TERM
  wait "$process" || status=$?
  trap - TERM
}
