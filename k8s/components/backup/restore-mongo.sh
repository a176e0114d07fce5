#!/bin/sh
# Replaces the database at MONGO_URL by an archive of BACKUP_DIR: restore-mongo.sh mongo-2026-11-23T020000Z.archive. The
# api must be stopped.
# Decrypt an archive that ends with .age first: age --decrypt --identity key.txt --output FILE FILE.age
set -eu
umask 077
config="$(mktemp)"
trap 'rm -f "$config"' EXIT
printf 'uri: "%s"\n' "$MONGO_URL" > "$config"
mongorestore --config "$config" --gzip --archive="$BACKUP_DIR/$1" --drop
