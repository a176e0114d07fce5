import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Installation } from '@mailhook/delivery';
import { createFolderStore, createS3Store, MissingObjectError } from '@mailhook/event-log';
import type { LogStore } from '@mailhook/event-log';
import { withLock } from '@mailhook/platform/redis';

const S3 = /^s3:\/\/([^/]+)\/?(.*)$/;

export const isFolder = (place: string): boolean => !S3.test(place);

/** A folder, or a bucket, for which the variables of Amazon's SDK count. */
export async function openStore(place: string, endpoint: string | undefined): Promise<LogStore> {
  const [, bucket, prefix = ''] = S3.exec(place) ?? [];
  if (bucket === undefined) return createFolderStore(place);
  return createS3Store({ bucket, prefix: prefix === '' ? '' : `${prefix.replace(/\/$/, '')}/`, endpoint });
}

const KEY_OBJECT = 'key';
const KEY_LOCK_MS = 30_000;
const KEY_WAIT_MS = 100;

/** The secret of the log, which is made once and lies with it, so that a log can be moved. */
export async function keyOf(store: LogStore, { redis }: Installation, prefix: string): Promise<string> {
  for (;;) {
    const found = await readKey(store);
    if (found !== undefined) return found;
    // One api makes it.
    await withLock(redis, { key: `${prefix}:log-key`, forMs: KEY_LOCK_MS }, async () => {
      if ((await readKey(store)) === undefined)
        await store.put(KEY_OBJECT, [Buffer.from(randomBytes(32).toString('hex'))]);
    });
    await setTimeout(KEY_WAIT_MS);
  }
}

export async function readKey(store: LogStore): Promise<string | undefined> {
  try {
    return (await store.get(KEY_OBJECT)).toString();
  } catch (error) {
    if (error instanceof MissingObjectError) return undefined;
    throw error;
  }
}
