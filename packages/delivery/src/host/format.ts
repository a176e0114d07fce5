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
  const orLater = stored > FORMAT ? ', or a later one' : '';
  throw new Error(
    `Redis holds data of format ${stored} (key ${key}), but Mailhook ${MAILHOOK_VERSION} reads format ${FORMAT} only. ` +
      `Start the version that stored it${orLater}. For an empty installation, set another QUEUE_PREFIX.`,
  );
}
