import type { Redis } from '@mailhook/platform/redis';
import type { RedriveStep } from './accounts.ts';
import type { AppendGroup } from './entry.ts';
import type { EngineKeys } from './keys.ts';
import { kindPrefix } from './dead-letter-id.ts';
import { createRunner } from './functions.ts';
import type { CommandName, ObserveCommand } from './functions.ts';
import { readHeartbeat } from './heartbeat.ts';
import type { HeartbeatOptions, HeartbeatReply } from './heartbeat.ts';
import { ReplyReader } from './replies.ts';
import type { DrainReply, Row } from './replies.ts';
import { rareSettle } from './settle-arguments.ts';
import type { RareSettle, Settle } from './settle-arguments.ts';

export interface NextRequest {
  readonly destination: string;
  readonly account: string;
  readonly token: string;
  /** Of the record that the worker knows. */
  readonly version: number;
  readonly revision: number;
  readonly settles: readonly Settle[];
  /** Most batches of new events in flight, and most resends; 0 freezes nothing. */
  readonly window: number;
  readonly isReleasing: boolean;
  /** Ids of the batches in flight. */
  readonly inFlight: readonly string[];
  /** A reply was lost: Redis returns the frozen batches that are not among `inFlight` again. */
  readonly isRepeated: boolean;
  /** What the worker has learned with this version of the record. */
  readonly learned?: Learned | undefined;
}

interface Learned {
  /** The breaker after the attempts, with the rest of the parking, if any, and the error of the last failure. */
  readonly breaker?:
    | {
        readonly failures: number;
        readonly parkMs: number;
        readonly leftMs: number | undefined;
        readonly error: string;
      }
    | undefined;
  /** The receiver answered 410: why. */
  readonly gone?: string | undefined;
  /** The destination's size limit (`sizeLimitText`). */
  readonly size?: string | undefined;
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

/**
 * Whether a record was written or there already. Otherwise a newer one stays, or that of a deleted destination. Then
 * this is the version that the store must have at least.
 */
export type SavedRecord = 'written' | 'same' | number;

export type RedriveReply = 'redriven' | 'gone' | 'inactive' | 'stopped';

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

export type MailboxCommands = ReturnType<typeof createMailboxCommands>;

/** The engine's scripts on one mechanism and shard, each an atomic step. Rejects with what ioredis rejects with. */
export function createMailboxCommands(redis: Redis, keys: EngineKeys, observe?: ObserveCommand) {
  const runCommand = createRunner(redis, 'texts', observe);
  const runBytes = createRunner(redis, 'bytes', observe);
  let calls = 0;
  const run = (command: CommandName, ...args: (string | number)[]) => runCommand(command, keys, ...args);
  const runForBytes = (command: CommandName, ...args: (string | number)[]) => runBytes(command, keys, ...args);
  return {
    /** `mine`: destinations that this worker owned already. */
    async append(o: {
      worker: string;
      firstClaim: number;
      room: CountsByProven;
      jobKey: string;
      mark: string;
      /** The number of slices of the chunk that are appended after this call. */
      slice: number;
      /** The id of the job that this slice ends. The job is then removed, unless it waits for another run. */
      endedJob?: string | undefined;
      limits: FreezeLimits;
      groups: readonly AppendGroup[];
    }): Promise<'gone' | 'again' | { dropped: number; replies: DrainReply[]; mine: string[] }> {
      const { batchMax, windowMax, maxAgeMs } = o.limits;
      const args: (string | number)[] = [o.worker, o.firstClaim, o.jobKey, o.mark, o.slice];
      args.push(o.endedJob ?? '', batchMax, windowMax, maxAgeMs, o.room.proven, o.room.others);
      for (const group of o.groups) {
        args.push(group.destination, group.account, group.lane, group.events, group.entries.length, ...group.entries);
      }
      const reply = await runForBytes('append', ...args);
      if (Buffer.isBuffer(reply)) return reply.toString() as 'gone' | 'again';
      const [nowMs, rows, targets, mine, dropped] = reply as [number, Row[], Buffer[], number[], number];
      const reader = new ReplyReader(rows, nowMs);
      const replies: DrainReply[] = [];
      while (!reader.isAtEnd) {
        const group = o.groups[Number(reader.next()) - 1];
        replies.push(reader.reply(group?.destination ?? '', targets[replies.length], NONE));
      }
      return { dropped, replies, mine: mine.map((number) => o.groups[number - 1]?.destination ?? '') };
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

    /**
     * Removes the counts of queued events from a page of accounts, if these queues of chunks are empty. Resolves with
     * the cursor of the next page.
     */
    async recountQueued(cursor: string, queues: readonly string[]): Promise<string> {
      const [next] = (await run('recount-queued', cursor, ...queues)) as [string, number];
      return next;
    },

    /**
     * `follow`: ids of batches that failed because of an old address and are resent to the new one. The replies are in
     * the order of the requests.
     */
    async next(
      requests: readonly NextRequest[],
      { batchMax, windowMax, maxAgeMs }: FreezeLimits,
    ): Promise<{ replies: DrainReply[]; follow: ReadonlySet<string> }> {
      calls += 1;
      const args: (string | number)[] = [calls.toString(36), batchMax, windowMax, maxAgeMs, requests.length];
      for (const { destination, account, token, version, revision, window, isReleasing, ...r } of requests) {
        args.push(destination, account, token, version, revision, window, isReleasing ? 1 : 0);
        args.push(r.inFlight.length, r.settles.length);
        for (const { batch, attempt, delivered } of r.settles) args.push(batch, attempt, delivered);
      }
      // The JSON is the next argument, and Lua counts from 1.
      const firstBody = args.length + 2;
      const bodies: string[] = [];
      const rare: Record<string, object> = {};
      for (const [i, request] of requests.entries()) {
        const one = rareOf(request, firstBody, bodies);
        if (one !== undefined) rare[i + 1] = one;
      }
      args.push(Object.keys(rare).length === 0 ? '' : JSON.stringify(rare));
      const reply = (await runForBytes('next', ...args, ...bodies)) as [number, Row[], number[], Buffer[], Buffer[]];
      const [nowMs, rows, renewed, targets, elsewhere] = reply;
      const reader = new ReplyReader(rows, nowMs);
      const targetOf = (i: number): Buffer | undefined =>
        renewed.length === 0 ? undefined : targets[renewed.indexOf(i + 1)];
      return {
        replies: requests.map(({ destination, inFlight, isRepeated }, i) =>
          reader.reply(destination, targetOf(i), isRepeated ? inFlight : undefined),
        ),
        follow: elsewhere.length === 0 ? NO_IDS : new Set(elsewhere.map(String)),
      };
    },

    /**
     * Takes up to `atMost` destinations of each kind. A call has a budget of bytes, so callers alternate `othersFirst`.
     */
    async take(
      worker: string,
      firstClaim: number,
      atMost: CountsByProven,
      { batchMax, windowMax, maxAgeMs }: FreezeLimits,
      othersFirst = false,
    ): Promise<{ waiting: CountsByProven; replies: DrainReply[] }> {
      const most = [atMost.proven, atMost.others, othersFirst ? 1 : 0];
      const reply = await runForBytes('take', worker, firstClaim, ...most, batchMax, windowMax, maxAgeMs);
      const [nowMs, rows, targets, proven, others] = reply as [number, Row[], Buffer[], number, number];
      const reader = new ReplyReader(rows, nowMs);
      const replies: DrainReply[] = [];
      while (!reader.isAtEnd) replies.push(reader.reply(String(reader.next()), targets[replies.length], NONE));
      return { waiting: { proven, others }, replies };
    },

    /** `leaseMs` 0 gives up the lease. */
    async heartbeat(
      worker: string,
      leaseMs: number,
      heartbeatMs: number,
      more: HeartbeatOptions = {},
    ): Promise<HeartbeatReply> {
      const { host = '', last, longestWaitMs = 0 } = more;
      const known = [last?.number ?? 0, last?.atMs ?? 0];
      return readHeartbeat(await run('heartbeat', worker, leaseMs, heartbeatMs, host, ...known, longestWaitMs));
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
        'refused' | [number, number, number, [string, number, number][], [string, string]];
      if (reply === 'refused') return undefined;
      const [again, dead, dropped, deadLetters, [account, reason]] = reply;
      return {
        again: again === 1,
        dead,
        dropped,
        deadLetters: deadLetters.map(([id, events, attempts]) => ({ id, events, attempts })),
        account,
        reason,
      };
    },

    /** `isBack`: the store has the destination again after its deletion. */
    async saveDestination(
      destination: string,
      record: readonly (string | number)[],
      isBack = false,
    ): Promise<SavedRecord> {
      return (await run('save-destination', destination, ...record, isBack ? 1 : 0)) as SavedRecord;
    },

    async removeDestination(destination: string, account: string): Promise<void> {
      await run('remove-destination', destination, account);
    },

    /**
     * `gone`: the dead letter is not there any more. `inactive`: its destination is inactive or deleted. `stopped`: a
     * person has stopped the run. Without `step`, the run is of this dead letter alone.
     */
    async redrive(deadLetter: string, resend: string, runId: string, step?: RedriveStep): Promise<RedriveReply> {
      return (await run('redrive', deadLetter, resend, runId, step?.begunMs ?? '', step?.left ?? 0)) as RedriveReply;
    },

    /** Begins a run that redrives this many events of the account. Resolves with the time of its beginning. */
    async beginRedrive(account: string, runId: string, events: number): Promise<number> {
      return (await run('redrive-run', account, runId, events)) as number;
    },

    async endRedrive(account: string, runId: string): Promise<void> {
      await run('redrive-run', account, runId, '');
    },

    /** Stops all runs of the account that have begun. */
    async stopRedrive(account: string): Promise<void> {
      await run('redrive-run', account, '', '');
    },

    /** Repairs a parked or paused destination that is in no set with the end of its wait. */
    async restoreParking(destination: string, untilMs: number): Promise<void> {
      await redis.zadd(keys.parked, 'NX', untilMs, destination);
    },

    /** Repairs a mailbox that says it is on a ready list and is on none. False if it needs no repair. */
    async restoreReady(destination: string): Promise<boolean> {
      return (await run('restore-ready', destination)) === 1;
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

const NO_IDS: ReadonlySet<string> = new Set();
const NONE: readonly string[] = [];

/** What `next.lua` calls rare, or undefined if the request has nothing of it. */
function rareOf(request: NextRequest, firstBody: number, bodies: string[]): object | undefined {
  const { learned, settles, inFlight, isRepeated } = request;
  let rareSettles: Record<string, RareSettle> | undefined;
  for (const [k, settle] of settles.entries()) {
    const one = rareSettle(settle, firstBody, bodies);
    if (one !== undefined) (rareSettles ??= {})[k + 1] = one;
  }
  if (learned === undefined && rareSettles === undefined && !isRepeated) return undefined;
  const breaker = learned?.breaker;
  return {
    settles: rareSettles ?? {},
    known: isRepeated ? inFlight : undefined,
    breaker: breaker && { ...breaker, leftMs: breaker.leftMs ?? -1 },
    gone: learned?.gone,
    size: learned?.size,
  };
}

/** Most accounts that one call counts. Each costs a few operations. */
const SHARES_PER_CALL = 100;

const slicesOf = (shares: readonly AccountShare[]): AccountShare[][] =>
  Array.from({ length: Math.ceil(shares.length / SHARES_PER_CALL) }, (_, i) =>
    shares.slice(i * SHARES_PER_CALL, (i + 1) * SHARES_PER_CALL),
  );

const rowOf = ({ account, events, bytes }: AccountShare): (string | number)[] => [account, events, bytes];
