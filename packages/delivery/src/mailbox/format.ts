import { MAILHOOK_VERSION } from '@mailhook/core';
import type { Logger } from '@mailhook/platform/logger';
import type { Redis } from '@mailhook/platform/redis';
import { FORMAT } from './constants.ts';
import { createRunner } from './functions.ts';
import { engineKeys } from './keys.ts';

/**
 * Notes at start that this version writes its format, so that an older version does not start on records that it cannot read.
 * Rejects with a sentence for the operator if a newer version was here first.
 */
export async function claimFormat(redis: Redis, queuePrefix: string, shards: number, format = FORMAT): Promise<void> {
  const keys = Array.from({ length: shards }, (_, shard) => engineKeys(queuePrefix, shard, 'campaign'));
  const newest = Math.max(...(await Promise.all(keys.map(async ({ format }) => Number(await redis.get(format))))));
  if (newest > format) {
    throw new Error(
      `Redis holds mailboxes of format ${newest}, but Mailhook ${MAILHOOK_VERSION} reads the formats 1 to ${format}: start the newest version that has used this Redis, or a later one, or set another QUEUE_PREFIX`,
    );
  }
  const run = createRunner(redis);
  await Promise.all(keys.map((shard) => run('raise-format', shard, format)));
}

/** Whether a record's `v` field is of a version that this one cannot read. */
export const isNewerFormat = (v: string | null | undefined): boolean => Number(v ?? 1) > FORMAT;

/** Logs once per format that mailboxes wait for a newer version. */
export function newerFormatReport(logger: Logger, fields: { kind: string; shard: number }): (format: number) => void {
  let newest = 0;
  return (format) => {
    if (format <= newest) return;
    newest = format;
    logger.error('this worker cannot read mailboxes of a newer format; upgrade the worker', {
      ...fields,
      format,
      reads: `1 to ${FORMAT}`,
    });
  };
}
