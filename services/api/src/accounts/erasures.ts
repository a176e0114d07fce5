import { EMAIL_EVENTS_QUEUE, engineQueues } from '@mailhook/core';
import type { ErasureInput, Store } from '@mailhook/core';
import type {
  ErasedFrom as ErasedFromEngine,
  EraseEvents,
  EventsToErase,
  Installation,
  NotErased,
} from '@mailhook/delivery';
import type { Closeable } from '@mailhook/platform/lifecycle';
import { every } from '@mailhook/platform/timers';
import type { Logger } from '@mailhook/platform/logger';
import { destinationsOfAccount } from './destinations-of-account.ts';
import type { ErasedLogs } from './erased-logs.ts';
import { countOlderJobs, noteOlderJobs } from './older-jobs.ts';
import { newId } from './tokens.ts';
import { withLock } from '@mailhook/platform/redis';

/**
 * The places that events are removed from. `rejected` and `failedJobs` are jobs of the Redis-fed intake.
 */
type ErasedFrom = ErasedFromEngine | 'rejected' | 'failedJobs';

/**
 * The state of an erasure. Numbers are events, times are ISO 8601. `finishedAt` is null until two searches find
 * nothing.
 */
export interface Erasure {
  readonly id: string;
  readonly account: string;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  /** By when their bytes are gone from the event log, all places of which have hidden them. Absent without a log. */
  readonly goneFromLogBy?: string;
  readonly removed: Readonly<Record<ErasedFrom, number>>;
  /**
   * After the last search: events in flight, all events of the account in chunk jobs, and the older jobs that have not
   * ended. The erasure waits for events in flight and for older jobs.
   */
  readonly kept: Pick<NotErased, 'inFlight' | 'queued'> & { readonly jobs: number };
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
  readonly store: Pick<Store, 'load'>;
  readonly eraseEvents: EraseEvents;
  /** Searches rejected and failed jobs of the Redis-fed intake. Resolves with whether some moved meanwhile. */
  readonly eraseFromJobs: (order: JobsOrder) => Promise<boolean>;
  /**
   * The id of the Redis-fed job that an account's events move to from this one while the account is over its limits.
   */
  readonly movedJobId: (job: { readonly id: string; readonly timestamp: number }, account: string) => string;
  readonly installation: Installation;
  readonly logs: ErasedLogs;
  readonly logger: Logger;
}

interface JobsOrder {
  readonly account: string;
  readonly wanted: EventsToErase;
  readonly onErased: (from: 'rejected' | 'failedJobs', events: number) => Promise<void>;
  readonly signal: AbortSignal;
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
  readonly goneFromLogBy?: string;
  readonly wanted?: string;
  readonly waiting?: string;
  readonly resends?: string;
  readonly deadLetters?: string;
  readonly rejected?: string;
  readonly failedJobs?: string;
  readonly inFlight?: string;
  readonly queued?: string;
  readonly jobs?: string;
  /** The queues whose older jobs are noted, and for which the erasure waits. Absent before the first search. */
  readonly waitsFor?: Stage;
  /** `1` if the last search found nothing. */
  readonly isClean?: string;
}

/** Events move from the intake's jobs to chunk jobs, so the jobs of one queue are noted after those before it ended. */
type Stage = 'intake' | 'chunks';

const keysOf = (prefix: string) => ({
  /** Set of the ids of unfinished erasures. */
  unfinished: `${prefix}:erasures`,
  lock: `${prefix}:erasures-search`,
  keyOf: (id: string): string => `${prefix}:erasure:${id}`,
  /** Set of the keys of the jobs that were in the queues of a stage when it began. */
  olderJobsOf: (id: string, stage: Stage): string => `${prefix}:erasure:${id}:${stage}`,
});

export function startErasures(deps: ErasuresDeps): Erasures {
  const { store, logger } = deps;
  const { redis, prefix } = deps.installation;
  const { unfinished, lock, keyOf } = keysOf(prefix);
  const closing = new AbortController();

  const warnOf = (what: string) => (error: unknown) => {
    if (!closing.signal.aborted) logger.warn(`${what}; next try follows`, { error });
  };
  const warn = warnOf('the events of a recipient could not be erased completely');
  const searchAll = async (): Promise<void> => {
    const ids = await redis.smembers(unfinished);
    if (ids.length === 0) return;
    await withLock(redis, { key: lock, forMs: SEARCH_MS }, async () => {
      for (const id of ids) await search(deps, id, closing.signal).catch(warn);
    });
  };
  const searching = every(EVERY_MS, () => searchAll().catch(warnOf('the unfinished erasures could not be read')));

  const find = async (account: string, id: string): Promise<Erasure | undefined> => {
    const fields = (await redis.hgetall(keyOf(id))) as Partial<Fields>;
    if (fields.account !== account || fields.startedAt === undefined) return undefined;
    const { startedAt, finishedAt = null, goneFromLogBy } = fields;
    const { waiting = 0, resends = 0, deadLetters = 0, rejected = 0, failedJobs = 0 } = fields;
    const { inFlight = 0, queued = 0, jobs = 0 } = fields;
    const removed = { waiting, resends, deadLetters, rejected, failedJobs };
    return {
      id,
      account,
      startedAt,
      finishedAt,
      ...(goneFromLogBy === undefined ? {} : { goneFromLogBy }),
      removed: mapNumbers(removed),
      kept: mapNumbers({ inFlight, queued, jobs }),
    };
  };
  return {
    find,
    async start(account, wanted) {
      if ((await store.load(account)) === undefined) return undefined;
      const id = newId();
      const fields = { account, startedAt: new Date().toISOString(), wanted: JSON.stringify(wanted) };
      await redis.multi().hset(keyOf(id), fields).pexpire(keyOf(id), KEPT_MS).exec();
      await redis.sadd(unfinished, id);
      // Before the answer, so that no reader shows them from then on. A search repeats it after a failure.
      await eraseFromLogs(deps, id).catch(warn);
      return find(account, id);
    },
    close: () => {
      closing.abort();
      return searching.close();
    },
  };
}

function mapNumbers<Name extends string>(texts: Readonly<Record<Name, string | number>>): Record<Name, number> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Number(text)])) as Record<Name, number>;
}

/** Hides the events in all places of the event log where that was not done. Rejects if one cannot be reached. */
async function eraseFromLogs({ logs, installation }: ErasuresDeps, id: string): Promise<void> {
  const { redis, prefix } = installation;
  const { keyOf } = keysOf(prefix);
  const fields = await redis.hgetall(keyOf(id));
  const { account, wanted } = fields as Partial<Fields>;
  const places = await logs.list();
  if (account === undefined || wanted === undefined || places.length === 0) return;
  const { email, messageId } = JSON.parse(wanted) as ErasureInput;
  // The input has one of the two.
  const erased = email === undefined ? { messageId: messageId ?? '' } : { email };
  const done = places.map(async ({ name, log }): Promise<number> => {
    const field = `goneFrom:${name}`;
    if (fields[field] !== undefined) return Number(fields[field]);
    const { goneFromLogByMs } = await log.erase(account, erased);
    await redis.hset(keyOf(id), field, goneFromLogByMs);
    return goneFromLogByMs;
  });
  // One that cannot be reached does not keep the events in another one visible.
  await Promise.allSettled(done);
  const goneFromLogBy = new Date(Math.max(...(await Promise.all(done)))).toISOString();
  if (fields['goneFromLogBy'] !== goneFromLogBy) await redis.hset(keyOf(id), { goneFromLogBy });
}

/**
 * One search of an erasure, in the order in which events move. The second in a row that finds nothing, after all older
 * jobs ended, finishes the erasure. It does not wait for chunk jobs of events that were accepted after its start.
 */
async function search(deps: ErasuresDeps, id: string, signal: AbortSignal): Promise<void> {
  const { store, eraseEvents, eraseFromJobs } = deps;
  const { redis, prefix } = deps.installation;
  const { unfinished, keyOf } = keysOf(prefix);
  const { account, wanted, isClean: wasClean, waitsFor } = (await redis.hgetall(keyOf(id))) as Partial<Fields>;
  if (account === undefined || wanted === undefined) {
    await redis.srem(unfinished, id);
    return;
  }
  await redis.pexpire(keyOf(id), KEPT_MS);
  const hiding = eraseFromLogs(deps, id);
  // A place that cannot be reached delays the end only.
  await Promise.allSettled([hiding]);
  const events = JSON.parse(wanted) as EventsToErase;
  let erased = 0;
  const onErased = async (from: ErasedFrom, count: number): Promise<void> => {
    erased += count;
    await redis.hincrby(keyOf(id), from, count);
  };
  const order = { account, wanted: events, onErased, signal };
  const older = olderJobs(deps, { id, account, signal });
  let stage = waitsFor ?? (await older.note('intake'));
  const haveJobsMoved = await eraseFromJobs(order);
  // After the search: a failed job that was retried before it is counted.
  let jobs = await older.count(stage);
  if (stage === 'intake' && jobs === 0 && !haveJobsMoved) {
    // A failed job that is retried from here on has no wanted event.
    stage = await older.note('chunks');
    jobs = await older.count(stage);
  }
  const { destinations: stored = [] } = (await store.load(account)) ?? {};
  const destinations = destinationsOfAccount(account, stored);
  const { inFlight, queued, isDisturbed } = await eraseEvents({ ...order, destinations });
  const hasOlderJobs = stage === 'intake' || jobs > 0;
  const isClean = erased === 0 && inFlight === 0 && !hasOlderJobs && !isDisturbed && !haveJobsMoved;
  await redis.hset(keyOf(id), { inFlight, queued, jobs, isClean: isClean ? 1 : 0 });
  await hiding;
  // A dead letter that is redriven during a search may escape it, but not the next one.
  if (isClean && wasClean === '1') await finish(deps, id, account);
}

/** The jobs that were in a stage's queues when it began. Chunks of an account are in the queues of any shard. */
function olderJobs(
  { installation, movedJobId }: ErasuresDeps,
  { id, account, signal }: { readonly id: string; readonly account: string; readonly signal: AbortSignal },
) {
  const { redis, prefix } = installation;
  const { keyOf, olderJobsOf } = keysOf(prefix);
  const intake = `${prefix}:${EMAIL_EVENTS_QUEUE}:`;
  const queuesOf: Readonly<Record<Stage, readonly string[]>> = {
    intake: [intake],
    chunks: installation.allKeys().map(({ queuePrefix, kind }) => `${queuePrefix}:${engineQueues(kind).chunks}:`),
  };
  return {
    async note(stage: Stage): Promise<Stage> {
      const into = olderJobsOf(id, stage);
      await noteOlderJobs(redis, {
        queues: queuesOf[stage],
        account,
        into,
        keptMs: KEPT_MS,
        movesTo: stage === 'intake' ? (job) => movedJobId(job, account) : undefined,
        signal,
      });
      await redis.hset(keyOf(id), { waitsFor: stage });
      return stage;
    },
    async count(stage: Stage): Promise<number> {
      await redis.pexpire(olderJobsOf(id, stage), KEPT_MS);
      return countOlderJobs(redis, olderJobsOf(id, stage), intake);
    },
  };
}

async function finish({ installation, logger }: ErasuresDeps, id: string, account: string): Promise<void> {
  const { redis, prefix } = installation;
  const { unfinished, keyOf, olderJobsOf } = keysOf(prefix);
  await redis.hset(keyOf(id), { finishedAt: new Date().toISOString() });
  await redis.hdel(keyOf(id), 'wanted');
  await redis.srem(unfinished, id);
  for (const stage of ['intake', 'chunks'] as const) await redis.del(olderJobsOf(id, stage));
  const names = ['waiting', 'resends', 'deadLetters', 'rejected', 'failedJobs'] as const;
  const counts = await redis.hmget(keyOf(id), ...names);
  const removed = Object.fromEntries(names.map((name, i) => [name, counts[i]]));
  logger.info('the events of a recipient were erased', { account, erasure: id, ...removed });
}
