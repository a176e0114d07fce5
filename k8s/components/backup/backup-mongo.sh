#!/bin/sh
# Writes an archive of the database at MONGO_URL to BACKUP_DIR, and removes archives that are older than BACKUP_DAYS (14).
set -eu
file="$BACKUP_DIR/mongo-$(date -u +%Y-%m-%dT%H%M%SZ).archive"
trap 'rm -f "$file.part"' EXIT
mongodump --quiet --uri "$MONGO_URL" --gzip --archive="$file.part"
mv "$file.part" "$file"
find "$BACKUP_DIR" -name 'mongo-*.archive' -mtime "+${BACKUP_DAYS:-14}" -delete
echo "$file: $(wc -c < "$file") bytes"
