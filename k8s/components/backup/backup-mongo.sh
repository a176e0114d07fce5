#!/bin/sh
# Writes an archive of the database at MONGO_URL to BACKUP_DIR, and removes archives that are older than BACKUP_DAYS
# (14). With BACKUP_AGE_RECIPIENT, a public key of age (age1...), the archive is encrypted for the owner of that key and
# ends with .age.
set -eu
umask 077
file="$BACKUP_DIR/mongo-$(date -u +%Y-%m-%dT%H%M%SZ).archive"
config="$(mktemp)"
part="$file.part"
trap 'rm -f "$config" "$part" "$part.age"' EXIT
# Other users of the machine can read the arguments of a process, so the URL is in a private file.
printf 'uri: "%s"\n' "$MONGO_URL" > "$config"
mongodump --quiet --config "$config" --gzip --archive="$part"
if [ -n "${BACKUP_AGE_RECIPIENT:-}" ]; then
  age --encrypt --recipient "$BACKUP_AGE_RECIPIENT" --output "$part.age" "$part"
  file="$file.age"
  mv "$part.age" "$file"
else
  mv "$part" "$file"
fi
find "$BACKUP_DIR" -name 'mongo-*.archive*' -mtime "+${BACKUP_DAYS:-14}" -delete
echo "$file: $(wc -c < "$file") bytes"
