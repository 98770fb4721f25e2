#!/bin/sh
# Runs before a package's files are removed. Before an upgrade (ipk says "upgrade", rpm
# says how many versions stay) the daemon goes on: after-install.sh starts it anew.
case "$1" in
  upgrade | failed-upgrade | 1) exit 0 ;;
esac
if [ -d /run/systemd/system ]; then
  systemctl disable --now evictd evictd-metrics evictd-home-assistant evictd-nomad evictd-swarm
elif [ -d /run/openrc ]; then
  rc-service --ifstarted evictd stop
  rc-update --quiet del evictd
elif [ -e /etc/rc.common ]; then
  /etc/init.d/evictd stop
  /etc/init.d/evictd disable
fi
exit 0
