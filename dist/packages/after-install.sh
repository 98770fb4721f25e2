#!/bin/sh
# Runs when a package's files are in place (rpm, apk, ipk; for deb see deb).
#
# A daemon that runs is started anew with the new binary, and finds its state where the old
# one left it. One that does not run is not started: it evicts, so its operator says when.
# Where no init system runs, as in a chroot or while an image is made, nothing is done.
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  start='systemctl enable --now evictd'
  systemctl try-restart evictd-metrics evictd-home-assistant evictd-nomad evictd-swarm
  systemctl is-active --quiet evictd && systemctl restart evictd && exit
elif [ -d /run/openrc ]; then
  start='rc-update add evictd && rc-service evictd start'
  rc-service --quiet evictd status >/dev/null 2>&1 && rc-service evictd restart && exit
elif [ -e /etc/rc.common ]; then
  start='service evictd enable && service evictd start'
  /etc/init.d/evictd running >/dev/null 2>&1 && /etc/init.d/evictd restart && exit
else
  exit 0
fi
echo "evictd is installed and does not run. Set thresholds in /etc/evictd.conf, see what they come to"
echo "with: evictd config --flags-file=/etc/evictd.conf, then: $start"
