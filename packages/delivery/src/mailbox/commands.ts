import type { BreakerState } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import type { AppendGroup } from './entry.ts';
import type { EngineKeys } from './keys.ts';
import { kindPrefix } from './dead-letter-id.ts';
import { createRunner } from './functions.ts';
import type { CommandName, ObserveCommand } from './functions.ts';
import { readReply } from './replies.ts';
import type { DrainReply, Reply } from './replies.ts';
import { readAppendedSingles, readSingleStep, readTakenSingles } from './single.ts';
import type { LongPath, SingleRequest } from './single.ts';
import { settleArguments } from './settle-arguments.ts';
import type { Settle } from './settle-arguments.ts';

export interface NextRequest {
  readonly destination: string;
  readonly token: string;
  readonly settles: readonly Settle[];
  /** Most batches of new events in flight, and most resends; 0 freezes nothing. */
  readonly window: number;
  readonly isReleasing: boolean;
  /**
   * The breaker after the drain's attempts, for the version of the record that they used, and the error of the last
   * failure.
   */
  readonly breaker: (BreakerState & { readonly version: string; readonly error: string }) | undefined;
  readonly gone: { readonly version: string; readonly reason: string } | undefined;
  /** The number of batches in flight. After a lost reply their ids, so that Redis returns the other frozen batches again. */
  readonly inFlight: number | readonly string[];
  /** The destination's size limit (`sizeLimitText`), for the version of the record at that time. */
  readonly size?: { readonly version: string; readonly text: string } | undefined;
}

/** Limits for every script that freezes. */
export interface FreezeLimits {
  /** Most events of a campaign batch. */
  readonly batchMax: number;
  /** Most batches in flight for one destination, resends included. */
  readonly windowMax: number;
  /** Events that have waited longer are given up. */
  readonly maxAgeMs: number;
}

/** An account's events and bytes in a chunk. Each delivery counts. */
export interface AccountShare {
  readonly account: string;
  readonly events: number;
  readonly bytes: number;
}

/** Numbers of destinations: those with a successful last attempt (proven), and the others. */
export interface CountsByProven {
  readonly proven: number;
  readonly others: number;
}

/** The result of one step of giving up. */
export interface GivenUp {
  /** Whether more events remain. */
  readonly again: boolean;
  /** Events that became dead letters, and events that were dropped because their destination was deleted. */
  readonly dead: number;
  readonly dropped: number;
  readonly deadLetters: readonly { readonly id: string; readonly events: number; readonly attempts: number }[];
  readonly account: string;
  readonly reason: string;
}

/**
 * An entry, and the same with the events that stay ('' for none). The position is from the start of a dead letter, or
 * from the end of a lane.
 */
export interface EntryChange {
  readonly position: number;
  readonly entry: string;
  readonly rest: string;
}

/** The rest of a batch, which gets a new id and a `webhook-id` made of it. */
export interface NewBatch {
  readonly id: string;
  readonly events: number;
  readonly body: string;
}

/** Who paused a destination. */
export type PausedBy = 'customer' | 'operator';

/** Why an action on a destination is impossible. */
type NotPossible = 'unknown' | 'inactive';

/** What a heartbeat reads of the scripts' time, in Unix milliseconds. */
export interface ClockReading {
  readonly nowMs: number;
  /** By Redis's own clock. */
  readonly rawMs: number;
  /** The content of the key `P clock`: Redis's time at the last heartbeat, and the shift. `setClock` overwrites only this content. */
  readonly storedClock: string;
  /** False after a gap between heartbeats, which may be a step of Redis's clock. */
  readonly isSteady: boolean;
}

export type MailboxCommands = ReturnType<typeof createMailboxCommands>;

/** The engine's scripts on one mechanism and shard, each an atomic step. Rejects with what ioredis rejects with. */
export function createMailboxCommands(redis: Redis, keys: EngineKeys, observe?: ObserveCommand) {
  const runCommand = createRunner(redis, observe);
  let calls = 0;
  const run = (command: CommandName, ...args: (string | number)[]) => runCommand(command, keys, ...args);
  return {
    /** `idle`: how many of the destinations were idle. `mine`: those that this worker owned already. */
    async append(o: {
      worker: string;
      firstClaim: number;
      room: CountsByProven;
      jobKey: string;
      mark: string;
      /** The number of slices of the chunk that are appended after this call. */
      slice: number;
      limits: FreezeLimits;
      groups: readonly AppendGroup[];
    }): Promise<
      'gone' | 'again' | { claims: number; dropped: number; replies: DrainReply[]; mine: string[]; idle: number }
    > {
      const { batchMax, windowMax, maxAgeMs } = o.limits;
      const args: (string | number)[] = [o.worker, o.firstClaim, o.jobKey, o.mark, o.slice];
      args.push(batchMax, windowMax, maxAgeMs, o.room.proven, o.room.others);
      for (const group of o.groups) {
        args.push(group.destination, group.account, group.lane, group.events, group.entries.length, ...group.entries);
      }
      const reply = (await run('append', ...args)) as
        'gone' | 'again' | [number, number, Reply[], string[], Reply, number];
      if (typeof reply === 'string') return reply;
      const [claims, dropped, replies, mine, singles, idle] = reply;
      const claimed = [...replies.map(readReply), ...readAppendedSingles(singles, o.worker, o.groups)];
      return { claims, dropped, replies: claimed, mine, idle };
    },

    /** Positions of the ids (`producerIdDigest`) that another chunk has claimed within 24 h. */
    async claimIds(chunk: string, digests: readonly string[]): Promise<ReadonlySet<number>> {
      return new Set((await run('claim-ids', chunk, ...digests)) as number[]);
    },

    /** Counts the events of a chunk before its job is added. */
    async queued(shares: readonly AccountShare[]): Promise<void> {
      await Promise.all(slicesOf(shares).map((slice) => run('queued', ...slice.flatMap(rowOf))));
    },

    /** Stops counting a chunk's events as queued. */
    async unqueued(jobKey: string, shares: readonly AccountShare[]): Promise<void> {
      const slices = slicesOf(shares);
      await Promise.all(slices.map((slice, i) => run('unqueued', jobKey, i, ...slice.flatMap(rowOf))));
    },

    /** Deletes the counts of queued events if these queues of chunks are empty. Returns the number of accounts. */
    async recountQueued(queues: readonly string[]): Promise<number> {
      return (await run('recount-queued', ...queues)) as number;
    },

    /** `follow`: ids of batches that failed because of an old address and are resent to the new one. */
    async next(
      requests: readonly NextRequest[],
      { batchMax, windowMax, maxAgeMs }: FreezeLimits,
    ): Promise<{ replies: DrainReply[]; follow: ReadonlySet<string> }> {
      const bodies: string[] = [];
      const rows = requests.map((r) => [
        r.destination,
        r.token,
        r.settles.map((settle) => settleArguments(settle, bodies)),
        r.window,
        r.isReleasing ? 1 : 0,
        r.breaker === undefined
          ? null
          : [
              ...[r.breaker.failures, r.breaker.parkMs, remainingOf(r.breaker.parkedUntilMs)],
              ...[r.breaker.version, r.breaker.error],
            ],
        r.gone === undefined ? null : [r.gone.version, r.gone.reason],
        r.inFlight,
        r.size === undefined ? null : [r.size.version, r.size.text],
      ]);
      calls += 1;
      const limits = [calls.toString(36), batchMax, windowMax, maxAgeMs];
      const [replies, follow] = (await run('next', ...limits, JSON.stringify(rows), ...bodies)) as [Reply[], string[]];
      return { replies: replies.map(readReply), follow: follow.length === 0 ? NONE : new Set(follow) };
    },

    /** Settles the only batch of each drain, which was delivered. Freezes its next entry, or releases the destination. */
    async nextSingle(
      requests: readonly SingleRequest[],
      { batchMax, maxAgeMs }: FreezeLimits,
    ): Promise<(DrainReply | LongPath)[]> {
      calls += 1;
      const call = calls.toString(36);
      const args: (string | number)[] = [call, batchMax, maxAgeMs];
      for (const { destination, account, token, batch, attempt, version, credentials } of requests)
        args.push(destination, account, token, batch, attempt, version, credentials);
      const replies = (await run('next-single', ...args)) as (number | string)[];
      return replies.map((reply, i) => readSingleStep(reply, requests[i] as SingleRequest, call));
    },

    /** Takes up to `atMost` destinations of each kind. A call has a budget of bytes, so callers alternate `othersFirst`. */
    async take(
      worker: string,
      firstClaim: number,
      atMost: CountsByProven,
      { batchMax, windowMax, maxAgeMs }: FreezeLimits,
      othersFirst = false,
    ): Promise<{ waiting: CountsByProven; replies: DrainReply[] }> {
      const args = [
        worker,
        firstClaim,
        atMost.proven,
        atMost.others,
        othersFirst ? 1 : 0,
        batchMax,
        windowMax,
        maxAgeMs,
      ];
      const reply = (await run('take', ...args)) as [number, number, Reply[], Reply];
      const [proven, others, replies, singles] = reply;
      return {
        waiting: { proven, others },
        replies: [...replies.map(readReply), ...readTakenSingles(singles, worker)],
      };
    },

    /**
     * `leaseMs` 0 gives up the lease. `host`: host and pid for operators. `lost`: wake-ups that the heartbeat did in
     * place of a lost job.
     */
    async heartbeat(worker: string, leaseMs: number, heartbeatMs: number, keepsClock = false, host = '') {
      const reply = (await run('heartbeat', worker, leaseMs, heartbeatMs, keepsClock ? 1 : 0, host)) as [
        ...[proven: number, others: number, moved: number, whole: number, resends: number, parkings: number],
        ...[nowMs: number, rawMs: number, storedClock: string, steady: number],
      ];
      const [proven, others, moved, whole, resends, parkings, nowMs, rawMs, storedClock, steady] = reply;
      const lost = { resends, parkings };
      const clock: ClockReading = { nowMs, rawMs, storedClock, isSteady: steady === 1 };
      return { waiting: { proven, others }, moved, whole: whole === 1, lost, clock };
    },

    /** Ends the gap that a reading has shown, see `lua/includes/clock.lua`. False if another worker was faster or there is another gap. */
    async setClock(storedClock: string, rawMs: number, shiftMs: number): Promise<boolean> {
      return (await run('set-clock', storedClock, rawMs, shiftMs)) === 1;
    },

    async abandon(destination: string, token: string): Promise<boolean> {
      return (await run('abandon', destination, token)) === 1;
    },

    /** The time of all scripts, Unix milliseconds. All times in their keys use this clock. */
    async nowMs(): Promise<number> {
      return (await run('now')) as number;
    },

    async wake(destination: string, resend = ''): Promise<boolean> {
      return (await run('wake', destination, resend)) === 1;
    },

    async giveUpStep(o: {
      destination: string;
      token: string;
      idPrefix: string;
      /** Only events that have waited for longer. */
      olderThanMs?: number;
      reason: string;
    }): Promise<GivenUp | undefined> {
      const reply = (await run('give-up-step', o.destination, o.token, o.idPrefix, o.olderThanMs ?? '', o.reason)) as
        'refused' | [number, number, number, [string, number, number][], string, string];
      if (reply === 'refused') return undefined;
      const [again, dead, dropped, deadLetters, account, reason] = reply;
      return {
        again: again === 1,
        dead,
        dropped,
        deadLetters: deadLetters.map(([id, events, attempts]) => ({ id, events, attempts })),
        account,
        reason,
      };
    },

    async saveDestination(destination: string, record: readonly (string | number)[]): Promise<boolean> {
      return (await run('save-destination', destination, ...record)) === 1;
    },

    async removeDestination(destination: string, account: string): Promise<void> {
      await run('remove-destination', destination, account);
    },

    /** `gone`: the dead letter is not there any more. `inactive`: its destination is inactive or deleted. */
    async redrive(deadLetter: string, resend: string, runId: string): Promise<'redriven' | 'gone' | 'inactive'> {
      return (await run('redrive', deadLetter, resend, runId)) as 'redriven' | 'gone' | 'inactive';
    },

    /** Repairs a destination that says it is on a ready list and is on none. */
    async clearReady(destination: string): Promise<void> {
      await redis.hset(keys.destination(destination), 'ready', '');
    },

    /** Repairs a parked or paused destination that is in no set with the end of its wait. */
    async restoreParking(destination: string, untilMs: number): Promise<void> {
      await redis.zadd(keys.parked, 'NX', untilMs, destination);
    },

    /** Call it when the store knows, or will learn from a job, that a 410 deactivated the destination. */
    async forgetDeactivation(destination: string): Promise<void> {
      await redis.srem(keys.gone, destination);
    },

    /** Deletes dead letters permanently, with their events. Resolves with the numbers of both. */
    async discard(ids: readonly string[]): Promise<{ deadLetters: number; events: number }> {
      const [deadLetters, events] = (await run('discard', kindPrefix(keys.kind), ...ids)) as [number, number];
      return { deadLetters, events };
    },

    /**
     * Removes events from entries of a lane. Resolves with the events removed, those in flight, the entries that were
     * not found, and those removed.
     */
    async eraseWaiting(o: {
      destination: string;
      account: string;
      lane: 'f' | 'u';
      changes: readonly EntryChange[];
    }): Promise<{ removed: number; inFlight: number; moved: number; emptied: number }> {
      const args = o.changes.flatMap(({ position, entry, rest }) => [position, entry, rest]);
      const reply = await run('erase-waiting', o.destination, o.account, o.lane, ...args);
      const [removed, inFlight, moved, emptied] = reply as [number, number, number, number];
      return { removed, inFlight, moved, emptied };
    },

    /**
     * Replaces a resend by one with the rest of its events, or removes it. Resolves with the number of events removed.
     */
    async eraseResend(o: {
      destination: string;
      account: string;
      resend: string;
      webhookId: string;
      rest: NewBatch;
    }): Promise<number | 'in flight' | 'moved'> {
      const { id, events, body } = o.rest;
      const args = [o.destination, o.account, o.resend, o.webhookId, id, `msg_${id}`, events, body];
      const removed = (await run('erase-resend', ...args)) as number;
      return removed === -1 ? 'in flight' : removed === -2 ? 'moved' : removed;
    },

    /**
     * Removes events from a dead letter. Undefined if it is gone. `rest`: for a batch that was sent. `changes`: for
     * events that never were.
     */
    async eraseDead(o: {
      deadLetter: string;
      account: string;
      webhookId: string;
      rest: NewBatch | undefined;
      changes: readonly EntryChange[];
    }): Promise<{ removed: number; remaining: number } | undefined> {
      const args =
        o.rest === undefined
          ? o.changes.flatMap(({ position, entry, rest }) => [position, entry, rest])
          : [o.rest.events, `msg_${o.rest.id}`, o.rest.body];
      const reply = await run('erase-dead', o.deadLetter, o.account, o.webhookId, ...args);
      const [removed, remaining] = reply as [number, number];
      return removed === -1 ? undefined : { removed, remaining };
    },

    /** Actions on a destination: see `lua/includes/operator.lua`. A customer cannot change an operator's pause. */
    async pause(
      destination: string,
      untilMs: number,
      by: PausedBy = 'operator',
    ): Promise<'paused' | 'paused by an operator' | NotPossible> {
      return (await run('pause', destination, untilMs, by)) as 'paused' | 'paused by an operator' | NotPossible;
    },

    async resume(
      destination: string,
      by: PausedBy = 'operator',
    ): Promise<'resumed' | 'not paused' | 'paused by an operator' | NotPossible> {
      return (await run('resume', destination, by)) as 'resumed' | 'not paused' | 'paused by an operator' | NotPossible;
    },

    async sendNow(destination: string): Promise<'sending' | 'paused' | NotPossible> {
      return (await run('send-now', destination)) as 'sending' | 'paused' | NotPossible;
    },

    async probe(destination: string): Promise<'probed' | 'paused' | 'not parked' | NotPossible> {
      return (await run('probe', destination)) as 'probed' | 'paused' | 'not parked' | NotPossible;
    },

    async requestGiveUp(destination: string): Promise<'dropped' | 'empty' | NotPossible> {
      return (await run('give-up', destination)) as 'dropped' | 'empty' | NotPossible;
    },
  };
}

/** Times cross to Redis as remaining milliseconds, because its clock and a worker's differ. */
const remainingOf = (untilMs: number): number => (untilMs === 0 ? -1 : Math.max(0, untilMs - Date.now()));

const NONE: ReadonlySet<string> = new Set();

/** Most accounts that one call counts. Each costs a few operations. */
const SHARES_PER_CALL = 100;

const slicesOf = (shares: readonly AccountShare[]): AccountShare[][] =>
  Array.from({ length: Math.ceil(shares.length / SHARES_PER_CALL) }, (_, i) =>
    shares.slice(i * SHARES_PER_CALL, (i + 1) * SHARES_PER_CALL),
  );

const rowOf = ({ account, events, bytes }: AccountShare): (string | number)[] => [account, events, bytes];
