#!/bin/sh
# Replaces the database at MONGO_URL by an archive of BACKUP_DIR: restore-mongo.sh mongo-2026-11-23T020000Z.archive. The api must be stopped.
set -eu
mongorestore --uri "$MONGO_URL" --gzip --archive="$BACKUP_DIR/$1" --drop
