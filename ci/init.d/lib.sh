# Sourced by what runs in the virtual machines of ci/init: each check is a line, and all of
# them are done whatever one says.
# shellcheck shell=sh

failed=0
conf=/etc/evictd.conf

# check WHAT COMMAND...: the command holds, within half a minute.
check() {
  what=$1 tries=0
  shift
  until "$@" >/tmp/check 2>&1; do
    tries=$((tries + 1))
    if [ $tries -ge 150 ]; then
      echo "$what: FAILED"
      sed 's/^/    /' /tmp/check
      failed=$((failed + 1))
      return
    fi
    sleep 0.2
  done
  read -r uptime _ </proc/uptime
  echo "$uptime $what: ok"
}

# book NAME STOP...: what the book says of this machine, as it stands; then STOP.
book() {
  book=$1
  shift
  cd /
  for block in /book/*; do
    check "$book: the book: $(head -n 1 "$block")" sh -eu "$block"
  done
  check "$book: is healthy by the book" healthy
  "$@"
}

healthy() { evictd check --daemon --flags-file=$conf; }
daemon() { pgrep -x evictd | head -n 1; }
gone() { ! pgrep -x "$1"; }

# is_another PID: the daemon runs and is not that one.
is_another() { healthy && [ -n "$(daemon)" ] && [ "$(daemon)" != "$1" ]; }

# Sets the threshold of the file, which each test changes to see it in force.
write_conf() {
  { cat /etc/evictd.conf.sample; echo "--eviction-hard=memory.available<$1"; echo "--state-dir=/run/evictd"; echo "$2"; } >$conf
}

# What a start under this init lacks: each of these lines names something.
lacks_nothing() { ! grep -E 'sandbox cannot|cannot be locked|stays as it is|is not allowed' "$1"; }

# finish NAME: the result, for the log outside.
finish() {
  read -r uptime _ </proc/uptime
  echo "evictd-init: $1 ended with $failed failed after $uptime s"
}
