import { chunkJob, EMAIL_EVENTS_QUEUE, emailEventsJob } from '@mailhook/core';
import type { Mechanism } from '@mailhook/core';
import { engineKeys, Installation } from '@mailhook/delivery';
import { countUndelivered } from '@mailhook/insight';
import type { EngineKeys } from '@mailhook/delivery';
import type { Redis } from '@mailhook/platform/redis';
import { eventually } from '@mailhook/testing';
import { z } from 'zod';
import { scanLive } from '../../../packages/delivery/src/mailbox/records.ts';
import { holdsEvents, inFlightOf } from '../../../packages/delivery/src/mailbox/state.ts';
import type { MailboxState } from '../../../packages/delivery/src/mailbox/state.ts';

export interface InFlight {
  readonly batches: number;
  readonly events: number;
  /** Events, by destination id. */
  readonly eventsOf: ReadonlyMap<string, number>;
}

/** The state of one mechanism's engine, as Redis has it. */
export interface EngineState {
  /**
   * Batches that a worker has frozen and not settled: the most of two readings, because the last commands of a stopped
   * worker may arrive during the first.
   */
  inFlight(worker: string): Promise<InFlight>;
  /** The most events of one destination that wait in jobs, so that its mailbox does not have them yet. */
  notAppended(): Promise<number>;
  /** Ids of the workers with a lease. */
  workers(): Promise<readonly string[]>;
  /** Fencing tokens of the owned destinations, by destination. */
  owners(): Promise<ReadonlyMap<string, string>>;
  /**
   * The remaining work: mailboxes with events, owned destinations, resends, unappended chunks and undelivered events.
   * All are 0 when all is done.
   */
  remains(): Promise<Readonly<Record<'holding' | 'owned' | 'resends' | 'chunks' | 'waiting', number>>>;
}

export function readEngineState(redis: Redis, queuePrefix: string, kind: Mechanism): EngineState {
  const keys = engineKeys(queuePrefix, 0, kind);
  const { base, queuePrefix: prefix } = keys;
  const states = async () => [...(await readLive(redis, keys))];
  const owners = async (): Promise<Map<string, string>> => {
    const owned = (await states()).filter(([, { owner }]) => owner !== '');
    return new Map(owned.map(([destination, { owner }]) => [destination, owner]));
  };
  const readWindows = async (worker: string): Promise<InFlight> => {
    let [batches, events] = [0, 0];
    const eventsOf = new Map<string, number>();
    for (const [destination, state] of await states()) {
      if (!state.owner.startsWith(`${worker}_`)) continue;
      for (const batch of inFlightOf(state)) {
        batches += 1;
        events += batch.events;
        eventsOf.set(destination, (eventsOf.get(destination) ?? 0) + batch.events);
      }
    }
    return { batches, events, eventsOf };
  };
  return {
    owners,
    workers: () => redis.zrange(`${base}workers`, '0', '-1'),
    inFlight: async (worker) => mostOf([await readWindows(worker), await readWindows(worker)]),
    async notAppended() {
      // In this order, because a job of the first queue becomes chunks. An account of these tests has one destination
      // of each mechanism.
      const fed = (await unfinishedJobs(redis, `${queuePrefix}:${EMAIL_EVENTS_QUEUE}`))
        .flatMap((data) => z.array(fedEvent).parse(emailEventsJob.parse(data).events))
        .filter(({ module }) => (module === 'campaign') === (kind === 'campaign'))
        .map(({ account }) => [account, 1] as const);
      // The events of a request with both mechanisms are in a chunk of campaigns.
      const chunks = await Promise.all(
        [`${prefix}:transactional-chunks`, `${prefix}:campaign-chunks`].map((queue) => unfinishedJobs(redis, queue)),
      );
      const groups = chunks.flat().flatMap((data) => chunkJob.parse(data).groups);
      const inChunks = groups
        .filter(([mechanism]) => mechanism === kind)
        .flatMap(([, destinations, , , entries]) => {
          const count = entries.reduce((sum, entry) => sum + Number(entry.slice(0, 4)), 0);
          return [destinations].flat().map((destination) => [destination, count] as const);
        });
      return mostOfOne(inChunks) + mostOfOne(fed);
    },
    async remains() {
      const [live, resends, waiting, ...chunks] = await Promise.all([
        states(),
        redis.zcard(`${base}due`),
        countUndelivered(new Installation(redis, queuePrefix, 1)),
        redis.llen(`${prefix}:${kind}-chunks:wait`),
        redis.zcard(`${prefix}:${kind}-chunks:prioritized`),
        redis.llen(`${prefix}:${kind}-chunks:active`),
        redis.zcard(`${prefix}:${kind}-chunks:delayed`),
        redis.zcard(`${prefix}:${kind}-chunks:failed`),
      ]);
      return {
        holding: live.filter(([, state]) => holdsEvents(state)).length,
        owned: live.filter(([, { owner }]) => owner !== '').length,
        resends,
        chunks: chunks.reduce((a, b) => a + b, 0),
        waiting,
      };
    },
  };
}

/** The states of all live mailboxes. */
async function readLive(redis: Redis, keys: EngineKeys): Promise<ReadonlyMap<string, MailboxState>> {
  const found = new Map<string, MailboxState>();
  let cursor = '0';
  do {
    const { next, states } = await scanLive(redis, keys, cursor, 500);
    for (const [destination, state] of states) found.set(destination, state);
    cursor = next;
  } while (cursor !== '0');
  return found;
}

const fedEvent = z.object({ account: z.string(), module: z.string() });

/** Reads the data of all jobs of a queue that are not done, in one transaction, because they move between the lists. */
export async function unfinishedJobs(redis: Redis, queue: string): Promise<unknown[]> {
  const read = redis.multi();
  for (const list of ['wait', 'active']) read.lrange(`${queue}:${list}`, 0, -1);
  for (const set of ['delayed', 'prioritized']) read.zrange(`${queue}:${set}`, '0', '-1');
  const ids = ((await read.exec()) ?? []).flatMap(([, found]) => found as string[]);
  const data = await Promise.all(ids.map((id) => redis.hget(`${queue}:${id}`, 'data')));
  return data.filter((one) => one !== null).map((one) => JSON.parse(one) as unknown);
}

/** Adds up the counts of each name, and returns the greatest sum. */
function mostOfOne(counts: readonly (readonly [name: string, count: number])[]): number {
  const sums = new Map<string, number>();
  for (const [name, count] of counts) sums.set(name, (sums.get(name) ?? 0) + count);
  return Math.max(0, ...sums.values());
}

/** Returns the most batches, and the most events of each destination, of several readings. */
function mostOf(readings: readonly InFlight[]): InFlight {
  const eventsOf = new Map<string, number>();
  for (const [destination, events] of readings.flatMap((one) => [...one.eventsOf]))
    eventsOf.set(destination, Math.max(events, eventsOf.get(destination) ?? 0));
  const events = [...eventsOf.values()].reduce((sum, one) => sum + one, 0);
  return { batches: Math.max(...readings.map(({ batches }) => batches)), events, eventsOf };
}

/** Returns true if no work of the mechanism is left. */
export const isOver = (remains: Awaited<ReturnType<EngineState['remains']>>): boolean =>
  Object.values(remains).every((count) => count === 0);

/** Resolves when these engines have no work left. */
export async function untilOver(states: readonly EngineState[]): Promise<void> {
  for (const state of states)
    await eventually(async () => isOver(await state.remains()), { withinMs: 30_000, what: 'the end of all work' });
}
