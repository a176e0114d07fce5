import { queueKeys } from '@mailhook/platform/queue';
import type { Redis } from '@mailhook/platform/redis';
import { runnerOf } from '../functions.ts';
import type { ObserveCommand } from '../functions.ts';
import { readNumber } from '../heartbeat.ts';
import type { Heartbeat, NumberedHeartbeat, NumberReply } from '../heartbeat.ts';
import type { EngineKeys } from '../keys.ts';

/** An account's events and bytes in a chunk. Each delivery counts. */
export interface AccountShare {
  readonly account: string;
  readonly events: number;
  readonly bytes: number;
}

export type PublishCommands = ReturnType<typeof createPublishCommands>;

/** Counts the events of chunks for their accounts. Rejects with what ioredis rejects with. */
export function createPublishCommands(redis: Redis, keys: EngineKeys, observe?: ObserveCommand) {
  const run = runnerOf(redis, keys, 'texts', observe);
  return {
    /** Counts the events of a chunk before its job is added. */
    async queued(shares: readonly AccountShare[]): Promise<void> {
      await Promise.all(slicesOf(shares).map((slice) => run('queued', ...slice.flatMap(rowOf))));
    },

    /** Rejects while Redis accepts no writes. `last`: the process's last heartbeat in this shard. */
    async numberHeartbeat(process: string, last: Heartbeat | undefined, everyMs: number): Promise<NumberedHeartbeat> {
      const known = [last?.number ?? 0, last?.atMs ?? 0];
      return readNumber((await run('number-heartbeat', process, ...known, everyMs)) as NumberReply);
    },

    /**
     * Looks for counts of queued events on a page of accounts, and removes those that `last` has seen unchanged, if
     * these queues of chunks (`queue.toKey('')`) are empty.
     */
    recountQueued: (last: Recount, queues: readonly string[]): Promise<Recount> => {
      const lists = queues.flatMap(unfinishedJobs);
      return run('recount-queued', lists.length, ...lists, ...last) as Promise<Recount>;
    },
  };
}

/** Result of a recount: cursor of the next page, then name, events and bytes per account with queued events. */
export type Recount = readonly [cursor: string, ...seen: (string | number)[]];

/** Where the first recount begins. */
export const NO_RECOUNT: Recount = ['0'];

/** The lists and sets of the jobs that have not ended. An operator may retry a failed one, which counts until then. */
const unfinishedJobs = (queue: string): string[] => {
  const { waiting, active, delayed, prioritized, failed } = queueKeys(queue);
  return [waiting, active, delayed, prioritized, failed];
};

/** Most accounts that one call counts. Each costs a few operations. */
export const SHARES_PER_CALL = 100;

export const slicesOf = (shares: readonly AccountShare[]): AccountShare[][] =>
  Array.from({ length: Math.ceil(shares.length / SHARES_PER_CALL) }, (_, i) =>
    shares.slice(i * SHARES_PER_CALL, (i + 1) * SHARES_PER_CALL),
  );

export const rowOf = ({ account, events, bytes }: AccountShare): (string | number)[] => [account, events, bytes];
