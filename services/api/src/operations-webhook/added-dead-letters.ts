import { OPERATIONS_ACCOUNT, publicIdOf, SETTINGS_PAGE_PATH } from '@mailhook/core';
import type { OperationsMessage } from '@mailhook/core';
import { operationsMessageId } from '@mailhook/delivery';
import type { AddedDeadLetters, DeadLetterTimes } from '@mailhook/insight';
import type { Redis } from '@mailhook/platform/redis';
import type { MessageListener } from './message-listener.ts';

export interface DeadLettersDeps {
  readonly redis: Redis;
  readonly publisher: Pick<MessageListener, 'publish'>;
  readonly keyPrefix: string;
  readonly debounceMs: number;
}

/**
 * A period of which the dead letters are announced. Its end is saved before its messages, so that a crash repeats the
 * same ones.
 */
interface Period {
  readonly from: number;
  readonly to?: number;
}

/** Most dead letters of a period. When more are added, periods are shorter and later. */
const LETTERS_MAX = 10_000;
/** After a longer time without a check, older dead letters are not announced. */
const PERIOD_MAX_MS = 86_400_000;

/** Announces the dead letters of one shard, once per debounce time and account. The first check only notes the time. */
export async function announceDeadLetters(
  { redis, publisher, keyPrefix, debounceMs }: DeadLettersDeps,
  times: DeadLetterTimes,
): Promise<void> {
  const key = `${keyPrefix}:dead-letters`;
  const field = String(times.shard);
  const save = (period: Period) => redis.hset(key, field, JSON.stringify(period));
  const nowMs = await times.nowMs();
  const saved = await redis.hget(key, field);
  const period = saved === null ? undefined : (JSON.parse(saved) as Period);
  // The second case follows a step back of Redis's clock.
  if (period === undefined || period.from > nowMs + debounceMs) {
    await save({ from: nowMs });
    return;
  }
  const from = period.to === undefined ? Math.max(period.from, nowMs - PERIOD_MAX_MS) : period.from;
  if (period.to === undefined && nowMs - from < debounceMs) return;
  // No dead letter gets the time of a millisecond that is over.
  const to = period.to ?? (await times.endOf(from, nowMs - 1, LETTERS_MAX));
  const found = await times.sum(from, to);
  const added = found.filter(({ account }) => account !== OPERATIONS_ACCOUNT);
  if (added.length > 0 && period.to === undefined) await save({ from, to });
  await publisher.publish(added.map((one) => messageOf(one, times.shard, { from, to })));
  await save({ from: to + 1 });
}

function messageOf(
  { account, deadLetters, events, destinations, error }: AddedDeadLetters,
  shard: number,
  { from, to }: Required<Period>,
): OperationsMessage {
  const [destination = ''] = destinations;
  return {
    id: operationsMessageId('dead letters', account, shard, from),
    type: 'dead_letters.added',
    time: new Date().toISOString(),
    account,
    ...(destinations.size === 1 ? { destination: publicIdOf(account, destination) } : {}),
    deadLetters,
    events,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    reason: `The newest was given up because of: ${error}`,
    portalPath: SETTINGS_PAGE_PATH,
  };
}
