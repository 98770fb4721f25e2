# shellcheck shell=bash
# A module of Netdata's charts.d: what is left by each signal, conditions and evictions, from the
# file that evictd --metrics-file writes. Goes to /usr/lib/netdata/charts.d/ (Debian:
# netdata-plugins-bash); see docs/metrics.md. /etc/netdata/charts.d/evictd.conf may set these:

evictd_file=/run/node_exporter/evictd.prom
# evictd writes it each 15 s, and with each change of a condition.
evictd_update_every=5
evictd_priority=800

# A line for each value: its chart, its name, and the number. Bytes are shown in MiB.
evictd_read() {
  awk -F '[{}"= ]+' '
    sub(/^evictd_signal_available_/, "", $1) { print "left_" $1, $3, $4 }
    $1 == "evictd_node_condition" { print "conditions", $3, $4 }
    /^kube_node_status_condition.*"EvictionLoop",status="true"/ { print "conditions", "EvictionLoop", $NF }
    $1 == "evictd_evictions_total" { print "evictions", "evictions", $2 }' "$evictd_file"
}

# Netdata may start first: the charts come once evictd has written.
evictd_check() {
  [ -n "$(evictd_read 2>/dev/null)" ] ||
    error "$evictd_file has nothing of evictd yet: it needs --metrics-file=$evictd_file"
  return 0
}

evictd_create() {
  evictd_shown=
}

# A signal may begin later, as those of images do with a container runtime.
evictd_declare() {
  local chart name value last='' units divisor
  while read -r chart name value; do
    units=${chart#left_} divisor=1
    case $chart in
      left_bytes) units=MiB divisor=1048576 ;;
      left_percent) units=% ;;
      conditions) units=boolean ;;
      evictions) units=pods ;;
    esac
    [ "$chart" = "$last" ] || echo "CHART evictd.$chart '' 'evictd: ${chart//_/ }' '$units' pressure evictd.$chart line $evictd_priority $evictd_update_every '' '' evictd"
    last=$chart
    echo "DIMENSION ${name//./_} '$name' absolute 1 $divisor"
  done <<<"$1"
}

# Where evictd has ended the file is gone: no values then, and never old ones.
evictd_update() {
  local chart name value last='' values shown
  values=$(evictd_read 2>/dev/null | sort)
  [ -n "$values" ] || return 0
  shown=$(cut -d ' ' -f 1,2 <<<"$values")
  [ "$shown" = "$evictd_shown" ] || evictd_declare "$values"
  evictd_shown=$shown
  while read -r chart name value; do
    if [ "$chart" != "$last" ]; then
      [ -z "$last" ] || echo END
      echo "BEGIN evictd.$chart $1"
    fi
    last=$chart
    echo "SET ${name//./_} = $value"
  done <<<"$values"
  echo END
}
