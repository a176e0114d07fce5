#!/bin/sh
# Makes a data folder for Redis from a snapshot: restore-redis.sh redis-2026-11-23T020000Z.rdb. The snapshot is in
# BACKUP_DIR, the folder is DATA_DIR (/data), which must be empty. Redis must be stopped. Afterwards, start it with its
# append-only file as always.
# Decrypt a snapshot that ends with .age first: age --decrypt --identity key.txt --output FILE FILE.age
set -eu
data="${DATA_DIR:-/data}"
snapshot="$BACKUP_DIR/$1"
redis-check-rdb "$snapshot" > /dev/null || {
  echo "$snapshot is no whole snapshot." >&2
  exit 1
}
if [ -n "$(ls -A "$data")" ]; then
  echo "$data is not empty. Move what is in it to another place, or the restore would destroy it." >&2
  exit 1
fi
socket="$(mktemp -d)/redis.sock"
ask() { redis-cli -s "$socket" "$@"; }
await() {
  until ask INFO persistence | tr -d '\r' | grep -qx "$1"; do sleep 0.2; done
}
cp "$snapshot" "$data/dump.rdb"
# With an append-only file, Redis would not read the snapshot. So it reads that first, and then writes its append-only
# file from it.
redis-server --port 0 --unixsocket "$socket" --dir "$data" --dbfilename dump.rdb --save '' --appendonly no --daemonize yes > /dev/null
await 'loading:0'
ask CONFIG SET appendonly yes > /dev/null
await 'aof_rewrite_in_progress:0'
await 'aof_last_bgrewrite_status:ok'
keys="$(ask DBSIZE)"
ask SHUTDOWN NOSAVE > /dev/null 2>&1 || true
while [ -e "$socket" ]; do sleep 0.2; done
rm "$data/dump.rdb"
# In a container, Redis does not run as root.
if [ "$(id -u)" -eq 0 ] && id redis > /dev/null 2>&1; then chown -R redis:redis "$data"; fi
echo "$data has $keys keys. Start Redis, then Mailhook."
