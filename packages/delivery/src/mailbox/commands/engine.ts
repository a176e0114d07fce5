import type { Redis } from '@mailhook/platform/redis';
import type { AppendGroup } from '../entry.ts';
import { runnerOf } from '../functions.ts';
import type { ObserveCommand, Run } from '../functions.ts';
import { readHeartbeat } from '../heartbeat.ts';
import type { HeartbeatOptions, HeartbeatReply } from '../heartbeat.ts';
import type { EngineKeys } from '../keys.ts';
import { ReplyReader } from '../replies.ts';
import type { DrainReply, Row } from '../replies.ts';
import { rareSettle } from '../settle-arguments.ts';
import type { RareSettle, Settle } from '../settle-arguments.ts';
import { createDeadLetterCommands } from './manage.ts';
import { createPublishCommands, rowOf, slicesOf } from './publish.ts';
import type { AccountShare } from './publish.ts';

export interface AppendRequest {
  readonly worker: string;
  readonly firstClaim: number;
  readonly room: CountsByProven;
  readonly jobKey: string;
  readonly progress: string;
  /** The number of slices of the chunk that are appended after this call. */
  readonly slice: number;
  /** Of the job, if this slice ends it. The job is then removed, unless it waits for another run. */
  readonly end?: JobEnd | undefined;
  readonly limits: FreezeLimits;
  readonly groups: readonly AppendGroup[];
}

/** What the event log keeps of a chunk. */
export interface ChunkLog {
  /** The events of each account. */
  readonly accounts: readonly (readonly [account: string, events: number])[];
  /** The numbers of the events whose id was claimed before, so that they are not accepted again. */
  readonly duplicates: readonly number[];
  /** Whether the job may be added again after it is done. */
  readonly isRepeatable: boolean;
}

/** What ends with the job of a chunk. */
export interface JobEnd {
  readonly id: string;
  /** What counts as queued until now. */
  readonly shares: readonly AccountShare[];
  /** Undefined if the event log does not keep the chunk. */
  readonly log: ChunkLog | undefined;
}

const logText = (log: ChunkLog | undefined): string =>
  log === undefined ? '' : JSON.stringify({ ...log, duplicates: log.duplicates.join(' ') });

/** `mine`: destinations that this worker owned already. */
export interface AppendReply {
  readonly dropped: number;
  readonly replies: DrainReply[];
  readonly mine: string[];
}

/** Ids of producers that a chunk job claims in one call. */
export interface IdClaim {
  /** Redis key of the job, '' if it lies in another shard. */
  readonly jobKey: string;
  readonly chunk: string;
  /** The number of the call for this chunk, from 1. A repeated call has the same digests. */
  readonly part: number;
  /** See `producerIdDigest`. */
  readonly digests: readonly string[];
}

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
  readonly isLost: boolean;
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

/** Limits for every function that freezes. */
export interface FreezeLimits {
  /** The maximum number of events of a batch. */
  readonly batchMax: number;
  /** The maximum number of batches in flight for one destination, resends included. */
  readonly windowMax: number;
  /** Events that have waited longer are given up. */
  readonly maxAgeMs: number;
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

export interface GiveUpRequest {
  readonly destination: string;
  readonly token: string;
  readonly idPrefix: string;
  /** Only events that have waited for longer. */
  readonly olderThanMs?: number;
  readonly reason: string;
}

export type MailboxCommands = ReturnType<typeof createMailboxCommands>;

/**
 * The commands of the engine on one mechanism and shard, each an atomic step. Rejects with what ioredis rejects with.
 */
export function createMailboxCommands(redis: Redis, keys: EngineKeys, observe?: ObserveCommand) {
  const run = runnerOf(redis, keys, 'texts', observe);
  const runForBytes = runnerOf(redis, keys, 'bytes', observe);
  const { redrive } = createDeadLetterCommands(redis, keys, observe);
  const { recountQueued } = createPublishCommands(redis, keys, observe);
  let calls = 0;
  return {
    append: (request: AppendRequest) => append(runForBytes, request),
    next(requests: readonly NextRequest[], limits: FreezeLimits) {
      calls += 1;
      return next(runForBytes, calls, requests, limits);
    },
    /**
     * Takes up to `atMost` destinations of each kind. A call has a budget of bytes, so callers alternate `othersFirst`.
     */
    take: (worker: string, firstClaim: number, atMost: CountsByProven, limits: FreezeLimits, othersFirst = false) =>
      take(runForBytes, [worker, firstClaim, atMost.proven, atMost.others, othersFirst ? 1 : 0], limits),
    giveUpStep: (request: GiveUpRequest) => giveUpStep(run, request),

    /** Positions of the ids that were claimed before, but not by this part of the chunk. */
    async claimIds({ jobKey, chunk, part, digests }: IdClaim, windowMs: number): Promise<ReadonlySet<number>> {
      const bytes = Buffer.from(digests.join(''), 'base64url');
      const reply = (await run('claim-ids', jobKey, chunk, part, windowMs, bytes)) as string;
      return new Set(reply === '' ? [] : reply.split(' ').map(Number));
    },
    /** Call it when a chunk of another shard is appended. */
    async forgetClaims(chunk: string): Promise<void> {
      await redis.del(keys.claimed(chunk));
    },
    /** If the last append did not. */
    endChunk: (jobKey: string, end: JobEnd) => endChunk(run, jobKey, end),
    /** `leaseMs` 0 gives up the lease. */
    async heartbeat(
      worker: string,
      leaseMs: number,
      heartbeatMs: number,
      { host = '', last, longestWaitMs = 0 }: HeartbeatOptions = {},
    ): Promise<HeartbeatReply> {
      const known = [last?.number ?? 0, last?.atMs ?? 0];
      return readHeartbeat(await run('heartbeat', worker, leaseMs, heartbeatMs, host, ...known, longestWaitMs));
    },
    abandon: async (destination: string, token: string): Promise<boolean> =>
      (await run('abandon', destination, token)) === 1,
    /** Looks through about `count` live mailboxes for those of a worker. `next`: as that of `scanLive`. */
    async owned(worker: string, cursor: string, count: number) {
      const [next, owned] = (await run('owned', worker, cursor, count)) as [string, [string, string][]];
      return { next, owned };
    },
    wake: async (destination: string, resend = ''): Promise<boolean> => (await run('wake', destination, resend)) === 1,
    /** The time of all commands, Unix milliseconds. All times in their keys use this clock. */
    nowMs: async (): Promise<number> => (await run('now')) as number,

    /** Repairs a mailbox that says it is on a ready list and is on none. False if it needs no repair. */
    restoreReady: async (destination: string): Promise<boolean> => (await run('restore-ready', destination)) === 1,
    /** Repairs parked or paused destinations that are in no set with the end of their wait. */
    async restoreParkings(waiting: readonly (readonly [destination: string, untilMs: number])[]): Promise<void> {
      if (waiting.length === 0) return;
      await redis.zadd(keys.parked, 'NX', ...waiting.flatMap(([destination, untilMs]) => [untilMs, destination]));
    },
    /** Call it when the store knows, or will learn from a job, that a 410 deactivated the destination. */
    async forgetDeactivation(destination: string): Promise<void> {
      await redis.srem(keys.gone, destination);
    },

    // The engine ends what publishers have counted, and runs the jobs of dead letters.
    recountQueued,
    redrive,
  };
}

async function append(run: Run, request: AppendRequest): Promise<'gone' | 'again' | AppendReply> {
  const { groups, limits, room, end } = request;
  const args: (string | number)[] = [
    request.worker,
    request.firstClaim,
    request.jobKey,
    request.progress,
    request.slice,
  ];
  args.push(
    end?.id ?? '',
    logText(end?.log),
    limits.batchMax,
    limits.windowMax,
    limits.maxAgeMs,
    room.proven,
    room.others,
    end?.shares.length ?? 0,
    ...(end?.shares ?? []).flatMap(rowOf),
  );
  for (const { destination, account, lane, events, entries } of groups) {
    args.push(destination, account, lane, events, entries.length, ...entries);
  }
  const reply = await run('append', ...args);
  if (Buffer.isBuffer(reply)) return reply.toString() as 'gone' | 'again';
  const [nowMs, rows, targets, mine, dropped] = reply as [number, Row[], Buffer[], number[], number];
  const destinationOf = (number: number): string => groups[number - 1]?.destination ?? '';
  const replies = readClaims(rows, nowMs, targets, (row) => destinationOf(Number(row)));
  return { dropped, replies, mine: mine.map(destinationOf) };
}

/** In slices, because each share costs a few operations. The last one ends the job, when the others are done. */
async function endChunk(run: Run, jobKey: string, { id, shares, log }: JobEnd): Promise<void> {
  const slices = slicesOf(shares);
  const last = Math.max(0, slices.length - 1);
  const end = (slice: number): Promise<unknown> => {
    const ended = slice === last ? [id, logText(log)] : ['', ''];
    return run('end-chunk', jobKey, ...ended, slice, ...(slices[slice] ?? []).flatMap(rowOf));
  };
  await Promise.all(slices.slice(0, last).map((_, slice) => end(slice)));
  await end(last);
}

/**
 * Settles attempts and freezes batches. `follow`: ids of batches that failed because of an old address and are resent
 * to the new one. The replies are in the order of the requests.
 */
async function next(
  run: Run,
  call: number,
  requests: readonly NextRequest[],
  { batchMax, windowMax, maxAgeMs }: FreezeLimits,
): Promise<{ replies: DrainReply[]; follow: ReadonlySet<string> }> {
  const args: (string | number)[] = [call.toString(36), batchMax, windowMax, maxAgeMs, requests.length];
  for (const { destination, account, token, version, revision, window, isReleasing, ...r } of requests) {
    args.push(destination, account, token, version, revision, window, isReleasing ? 1 : 0);
    args.push(r.inFlight.length, r.settles.length);
    for (const { batch, attempt, delivered, sent } of r.settles) args.push(batch, attempt, delivered, sent ?? '');
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
  const reply = (await run('next', ...args, ...bodies)) as [number, Row[], number[], Buffer[], Buffer[]];
  const [nowMs, rows, renewed, targets, elsewhere] = reply;
  const reader = new ReplyReader(rows, nowMs);
  const targetOf = (i: number): Buffer | undefined =>
    renewed.length === 0 ? undefined : targets[renewed.indexOf(i + 1)];
  return {
    replies: requests.map(({ destination, inFlight, isLost }, i) =>
      reader.reply(destination, targetOf(i), isLost ? inFlight : undefined),
    ),
    follow: elsewhere.length === 0 ? NO_IDS : new Set(elsewhere.map(String)),
  };
}

async function take(
  run: Run,
  wanted: readonly (string | number)[],
  { batchMax, windowMax, maxAgeMs }: FreezeLimits,
): Promise<{ waiting: CountsByProven; replies: DrainReply[] }> {
  const reply = await run('take', ...wanted, batchMax, windowMax, maxAgeMs);
  const [nowMs, rows, targets, proven, others] = reply as [number, Row[], Buffer[], number, number];
  return { waiting: { proven, others }, replies: readClaims(rows, nowMs, targets, String) };
}

/** The replies to the claims of a call, each after a row that names its destination. */
function readClaims(
  rows: readonly Row[],
  nowMs: number,
  targets: readonly Buffer[],
  destinationOf: (row: Row | undefined) => string,
): DrainReply[] {
  const reader = new ReplyReader(rows, nowMs);
  const replies: DrainReply[] = [];
  while (!reader.isAtEnd) replies.push(reader.reply(destinationOf(reader.next()), targets[replies.length], NONE));
  return replies;
}

async function giveUpStep(
  run: Run,
  { destination, token, idPrefix, olderThanMs, reason: why }: GiveUpRequest,
): Promise<GivenUp | undefined> {
  const reply = (await run('give-up-step', destination, token, idPrefix, olderThanMs ?? '', why)) as
    | 'refused'
    | [number, number, number, [string, number, number][], [string, string]];
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
}

const NO_IDS: ReadonlySet<string> = new Set();
const NONE: readonly string[] = [];

/** What `next.lua` calls rare, or undefined if the request has nothing of it. */
function rareOf(request: NextRequest, firstBody: number, bodies: string[]): object | undefined {
  const { learned, settles, inFlight, isLost } = request;
  let rareSettles: Record<string, RareSettle> | undefined;
  for (const [k, settle] of settles.entries()) {
    const one = rareSettle(settle, firstBody, bodies);
    if (one !== undefined) (rareSettles ??= {})[k + 1] = one;
  }
  if (learned === undefined && rareSettles === undefined && !isLost) return undefined;
  const breaker = learned?.breaker;
  return {
    settles: rareSettles ?? {},
    known: isLost ? inFlight : undefined,
    breaker: breaker && { ...breaker, leftMs: breaker.leftMs ?? -1 },
    gone: learned?.gone,
    size: learned?.size,
  };
}
