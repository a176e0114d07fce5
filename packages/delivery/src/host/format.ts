import { MAILHOOK_VERSION } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import { FORMAT } from '../mailbox/constants.ts';

/**
 * Stores the number of the format at the first start. Rejects with a sentence for the operator if another number is
 * stored, because this version would misread what Redis holds.
 */
export async function claimFormat(redis: Redis, queuePrefix: string): Promise<void> {
  const key = `${queuePrefix}:format`;
  await redis.setnx(key, FORMAT);
  const stored = Number(await redis.get(key));
  if (stored === FORMAT) return;
  const start =
    stored > FORMAT
      ? 'Start the version that stored it, or a later one'
      : 'Let the version that stored it deliver everything and stop it, delete that Redis data, and start again';
  throw new Error(
    `Redis holds data of format ${stored} (key ${key}), but Mailhook ${MAILHOOK_VERSION} reads format ${FORMAT} only. ${start}. Or set another QUEUE_PREFIX, for an empty installation.`,
  );
}
