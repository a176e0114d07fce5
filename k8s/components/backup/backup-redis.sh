#!/bin/sh
# Writes a snapshot of the Redis at REDIS_URL to BACKUP_DIR, and removes snapshots that are older than BACKUP_DAYS (14).
# Redis continues meanwhile. With BACKUP_AGE_RECIPIENT, a public key of age (age1...), the snapshot is encrypted for the
# owner of that key and ends with .age.
set -eu
umask 077
file="$BACKUP_DIR/redis-$(date -u +%Y-%m-%dT%H%M%SZ).rdb"
part="$file.part"
trap 'rm -f "$part" "$part.age"' EXIT

# Prints a text with its percent escapes decoded.
decode() {
  text="$1"
  while [ "${text#*%??}" != "$text" ]; do
    rest="${text#*%}"
    printf '%s' "${text%%\%*}"
    printf '%b' "\\0$(printf '%03o' "0x${rest%"${rest#??}"}")"
    text="${rest#??}"
  done
  printf '%s' "$text"
}

# Other users of the machine can read the arguments of a process, so the password goes through the environment.
address="${REDIS_URL##*@}"
set -- -u "$REDIS_URL"
if [ "$address" != "$REDIS_URL" ]; then
  login="${REDIS_URL#*://}"
  login="${login%@*}"
  user="$(decode "${login%%:*}")"
  REDISCLI_AUTH="$(decode "${login#*:}")"
  export REDISCLI_AUTH
  set -- -u "${REDIS_URL%%://*}://$address"
  [ -z "$user" ] || set -- "$@" --user "$user"
fi
redis-cli "$@" --rdb "$part"
redis-check-rdb "$part" > /dev/null
if [ -n "${BACKUP_AGE_RECIPIENT:-}" ]; then
  age --encrypt --recipient "$BACKUP_AGE_RECIPIENT" --output "$part.age" "$part"
  file="$file.age"
  mv "$part.age" "$file"
else
  mv "$part" "$file"
fi
find "$BACKUP_DIR" -name 'redis-*.rdb*' -mtime "+${BACKUP_DAYS:-14}" -delete
echo "$file: $(wc -c < "$file") bytes"
