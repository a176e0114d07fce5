import { campaignDestinationId } from '@mailhook/core';
import type { ErasureInput, Store } from '@mailhook/core';
import type { ErasedFrom, EraseEvents, EventsToErase, NotErased } from '@mailhook/delivery';
import type { Closeable } from '@mailhook/platform/lifecycle';
import type { Logger } from '@mailhook/platform/logger';
import type { Redis } from '@mailhook/platform/redis';
import { newId } from './tokens.ts';
import { setIfAbsent } from '../set-if-absent.ts';

/**
 * The state of an erasure. Numbers are events, times are ISO 8601. `finishedAt` is null until two searches find
 * nothing.
 */
export interface Erasure {
  readonly id: string;
  readonly account: string;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly removed: Readonly<Record<ErasedFrom, number>>;
  /** After the last search: events in flight, and all events of the account in chunk jobs, which are not searched. */
  readonly kept: Pick<NotErased, 'inFlight' | 'queued'>;
}

/**
 * Erases the events of one recipient (Art. 17 GDPR). An erasure that was recorded continues on whichever replica runs,
 * until two searches in a row find nothing. All methods reject while Redis is away.
 */
export interface Erasures extends Closeable {
  /** Undefined if there is no such account. */
  start(account: string, wanted: ErasureInput): Promise<Erasure | undefined>;
  /** Undefined if it is unknown or ended more than `KEPT_MS` ago. */
  find(account: string, id: string): Promise<Erasure | undefined>;
}

export interface ErasuresDeps {
  readonly store: Pick<Store, 'findAccount' | 'listSubscriptions'>;
  readonly eraseEvents: EraseEvents;
  readonly redis: Redis;
  readonly prefix: string;
  readonly logger: Logger;
}

const EVERY_MS = 2000;
/**
 * A search of one replica excludes others for this long, so that they do the same work only after its process has died.
 */
const SEARCH_MS = 60_000;
const KEPT_MS = 7 * 86_400_000;

/**
 * The fields of an erasure in Redis. The wanted events are deleted when it has finished, because they name the
 * recipient.
 */
interface Fields {
  readonly account: string;
  readonly startedAt: string;
  readonly finishedAt?: string;
  readonly wanted?: string;
  readonly waiting?: string;
  readonly resends?: string;
  readonly deadLetters?: string;
  readonly inFlight?: string;
  readonly queued?: string;
  /** `1` if the last search found nothing. */
  readonly isClean?: string;
}

const keysOf = (prefix: string) => ({
  /** Set of the ids of unfinished erasures. */
  unfinished: `${prefix}:erasures`,
  lock: `${prefix}:erasures-search`,
  keyOf: (id: string): string => `${prefix}:erasure:${id}`,
});

export function startErasures(deps: ErasuresDeps): Erasures {
  const { store, redis, prefix, logger } = deps;
  const { unfinished, lock, keyOf } = keysOf(prefix);
  const self = newId();
  let running: Promise<void> | undefined;
  const closing = new AbortController();

  const warn = (error: unknown): void => {
    if (closing.signal.aborted) return;
    logger.warn('the events of a recipient could not be erased completely; next try follows', { error });
  };
  const searchAll = async (): Promise<void> => {
    const ids = await redis.smembers(unfinished);
    if (ids.length === 0 || !(await setIfAbsent(redis, lock, self, SEARCH_MS))) return;
    try {
      for (const id of ids) await search(deps, id, closing.signal).catch(warn);
    } finally {
      if ((await redis.get(lock)) === self) await redis.del(lock);
    }
  };
  const timer = setInterval(() => {
    running ??= searchAll()
      .catch(warn)
      .finally(() => (running = undefined));
  }, EVERY_MS);

  const find = async (account: string, id: string): Promise<Erasure | undefined> => {
    const fields = (await redis.hgetall(keyOf(id))) as Partial<Fields>;
    if (fields.account !== account || fields.startedAt === undefined) return undefined;
    const {
      startedAt,
      finishedAt = null,
      waiting = 0,
      resends = 0,
      deadLetters = 0,
      inFlight = 0,
      queued = 0,
    } = fields;
    return {
      id,
      account,
      startedAt,
      finishedAt,
      removed: { waiting: Number(waiting), resends: Number(resends), deadLetters: Number(deadLetters) },
      kept: { inFlight: Number(inFlight), queued: Number(queued) },
    };
  };
  return {
    find,
    async start(account, wanted) {
      if ((await store.findAccount(account)) === undefined) return undefined;
      const id = newId();
      const fields = { account, startedAt: new Date().toISOString(), wanted: JSON.stringify(wanted) };
      await redis.multi().hset(keyOf(id), fields).pexpire(keyOf(id), KEPT_MS).exec();
      await redis.sadd(unfinished, id);
      return find(account, id);
    },
    close: async () => {
      clearInterval(timer);
      closing.abort();
      await running;
    },
  };
}

/** One search of an erasure. The second in a row that finds nothing ends it. */
async function search({ store, eraseEvents, redis, prefix, logger }: ErasuresDeps, id: string, signal: AbortSignal) {
  const { unfinished, keyOf } = keysOf(prefix);
  const { account, wanted, isClean: wasClean } = (await redis.hgetall(keyOf(id))) as Partial<Fields>;
  if (account === undefined || wanted === undefined) {
    await redis.srem(unfinished, id);
    return;
  }
  await redis.pexpire(keyOf(id), KEPT_MS);
  const events = JSON.parse(wanted) as EventsToErase;
  const destinations =
    'email' in events ? [{ id: campaignDestinationId(account) }] : await store.listSubscriptions(account);
  let erased = 0;
  const onErased = async (from: ErasedFrom, count: number): Promise<void> => {
    erased += count;
    await redis.hincrby(keyOf(id), from, count);
  };
  const order = { account, wanted: events, destinations, onErased, signal };
  const { inFlight, queued, isDisturbed } = await eraseEvents(order);
  const isClean = erased === 0 && inFlight === 0 && queued === 0 && !isDisturbed;
  await redis.hset(keyOf(id), { inFlight, queued, isClean: isClean ? 1 : 0 });
  // A dead letter that is redriven during a search may escape it, but not the next one.
  if (!isClean || wasClean !== '1') return;
  await redis.hset(keyOf(id), { finishedAt: new Date().toISOString() });
  await redis.hdel(keyOf(id), 'wanted');
  await redis.srem(unfinished, id);
  const [waiting, resends, deadLetters] = await redis.hmget(keyOf(id), 'waiting', 'resends', 'deadLetters');
  const removed = { waiting, resends, deadLetters };
  logger.info('the events of a recipient were erased', { account, erasure: id, ...removed });
}
