#!/bin/sh
# Runs when a package's files are gone.
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
