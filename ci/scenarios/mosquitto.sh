# Sourced by scenarios that need a broker of MQTT: mosquitto as Debian packages it, which
# ci/install unpacks, at $MQTT_PORT of this machine.
# shellcheck shell=dash

tools=$PWD/target/tools/mosquitto
[ -x "$tools/usr/sbin/mosquitto" ] || fail "$tools is missing: run ci/install"
export PATH="$PATH:$tools/usr/sbin:$tools/usr/bin"
LD_LIBRARY_PATH=$(printf '%s:' "$tools"/usr/lib/*-linux-gnu "$tools"/lib/*-linux-gnu)
export LD_LIBRARY_PATH

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
MQTT_PORT=$(free_port)
export MQTT_PORT
printf 'listener %s 127.0.0.1\nallow_anonymous true\nuser root\n' "$MQTT_PORT" >"$work/mosquitto.conf"
mosquitto -c "$work/mosquitto.conf" >"$work/mosquitto.log" 2>&1 &
succeeds() { "$@" >/dev/null 2>&1; }
wait_until 10 "the broker runs" succeeds mosquitto_pub -p "$MQTT_PORT" -t start -m up
