#!/bin/sh
# Writes a snapshot of the Redis at REDIS_URL to BACKUP_DIR, and removes snapshots that are older than BACKUP_DAYS (14). Redis goes on meanwhile.
set -eu
file="$BACKUP_DIR/redis-$(date -u +%Y-%m-%dT%H%M%SZ).rdb"
trap 'rm -f "$file.part"' EXIT
redis-cli -u "$REDIS_URL" --rdb "$file.part"
redis-check-rdb "$file.part" > /dev/null
mv "$file.part" "$file"
find "$BACKUP_DIR" -name 'redis-*.rdb' -mtime "+${BACKUP_DAYS:-14}" -delete
echo "$file: $(wc -c < "$file") bytes"
