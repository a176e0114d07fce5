import type { ChunkGroup, ChunkJob, Mechanism } from '@mailhook/core';
import { CHUNK_VERSION, chunkJob, shardOf } from '@mailhook/core';
import type { Job } from 'bullmq';
import { UnrecoverableError } from 'bullmq';
import type { DrainPool } from './drain-pool.ts';
import type { RetryWhileAway } from './retry-while-away.ts';
import { isInternalError } from './retry-while-away.ts';
import { FORMAT } from '../mailbox/constants.ts';
import type { AppendGroup } from '../mailbox/entry.ts';
import { timeText } from '../mailbox/entry.ts';
import { producerIdDigest } from '../mailbox/keys.ts';
import type { AccountShare, FreezeLimits, MailboxCommands } from '../mailbox/commands.ts';
import { countedShares, destinationsOf, entryFor, READDABLE_CHUNK, withoutEvents } from '../publish/chunk.ts';

/** The mailboxes of one mechanism and shard, and the pool that drains them if this worker serves them. */
export interface MailboxTarget {
  readonly commands: Pick<MailboxCommands, 'append' | 'claimIds'>;
  /** Absent for mailboxes of the other mechanism or another shard. Their destinations wait on a ready list. */
  readonly pool: DrainPool | undefined;
  readonly limits: FreezeLimits;
}

export interface ChunkWorkerDeps {
  readonly worker: string;
  readonly shards: number;
  readonly targetOf: (kind: Mechanism, shard: number) => MailboxTarget;
  /** Redis key of a job of this queue, for scripts of the same shard. With it, a stalled run cannot append a job that is already deleted. */
  readonly jobKey: (jobId: string) => string;
  readonly shard: number;
  readonly retryWhileAway: RetryWhileAway;
  /** Stops counting the events of an appended chunk as queued. */
  readonly unqueue: (jobKey: string, shares: readonly AccountShare[]) => Promise<void>;
  readonly onDropped: (kind: Mechanism, events: number) => void;
}

/** Most ids that one script call claims. */
const CLAIMS_MAX = 1000;
// All versions of the worker must use the same values of the next four limits. A job stores its progress as the number of appended parts and a
// fraction of the next part, and a worker of another version may continue from there.
/** Largest part of a chunk. */
const PART_ENTRIES_MAX = 2000;
const PART_CHARS_MAX = 1_000_000;
/** Largest slice of a part, so that a script call takes only a few milliseconds. */
const CALL_GROUPS_MAX = 125;
const CALL_CHARS_MAX = 300_000;

/** Most claims of each kind in a call without room for all its destinations. Other calls may use the same room at this moment. */
const CALL_CLAIMS_MAX = 24;
/** Only the first 10,000 destinations of a chunk wait for room. The others are appended at once, so that other workers can take them too. */
const WAITING_SLICES_MAX = 80;

/** Runs of a chunk job that end with an internal error. Then the job moves to the failed jobs, which are kept and counted. */
const INTERNAL_ERRORS_MAX = 3;

/** Processes chunk jobs. Appends each group to its mailbox once, however often the job runs, and starts to drain idle destinations. */
export const chunkProcessor = (deps: ChunkWorkerDeps) => {
  const process = createProcess(deps);
  return async (job: Job<unknown>): Promise<void> => {
    try {
      await process(job);
    } catch (error) {
      if (!isInternalError(error) || job.attemptsMade + 1 < INTERNAL_ERRORS_MAX) throw error;
      throw new UnrecoverableError(`given up after ${INTERNAL_ERRORS_MAX} tries: ${(error as Error).message}`);
    }
  };
};

const createProcess =
  (deps: ChunkWorkerDeps) =>
  async (job: Job<unknown>): Promise<void> => {
    const chunk = readChunk(job);
    const appends = byTarget(chunk.groups, deps.shards).map((target) => appendTo(deps, chunk, job, target));
    // Wait for every append, even after a failure, because a stopping worker must not claim destinations after its jobs have ended.
    const failed = (await Promise.allSettled(appends)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    const shares = countedShares(chunk);
    if (shares.length > 0) await deps.retryWhileAway(() => deps.unqueue(deps.jobKey(job.id ?? ''), shares));
  };

function readChunk(job: Job<unknown>): ChunkJob {
  const parsed = chunkJob.safeParse(job.data);
  if (parsed.success) return parsed.data;
  const { v } = (job.data ?? {}) as { v?: unknown };
  if (typeof v === 'number' && v > CHUNK_VERSION) throw new UnrecoverableError(unknownVersion(v));
  const first = parsed.error.issues[0];
  throw new UnrecoverableError(`malformed chunk: ${first?.path.join('.') ?? ''} ${first?.message ?? ''}`);
}

const unknownVersion = (v: number): string => `malformed chunk: version ${v}, this worker reads up to ${CHUNK_VERSION}`;

const newerMailbox = (format: number): string => `mailbox of format ${format}, this worker reads up to ${FORMAT}`;

/** Whether a chunk failed in an older worker because of its version or a mailbox's format, and this worker may be able to read it. */
export function canReadNow(failedReason: string): boolean {
  // The error text of workers that read up to version 2.
  if (failedReason.startsWith('malformed chunk: v ')) return true;
  const [, newest] = /^malformed chunk: version \d+, this worker reads up to (\d+)/.exec(failedReason) ?? [];
  if (newest !== undefined) return Number(newest) < CHUNK_VERSION;
  const [, format] = /^mailbox of format (\d+), this worker/.exec(failedReason) ?? [];
  return Number(format) <= FORMAT;
}

interface TargetGroups {
  readonly kind: Mechanism;
  readonly shard: number;
  readonly groups: ChunkGroup[];
}

/** Appends a chunk's groups to the mailboxes of one mechanism and shard. */
async function appendTo(
  deps: ChunkWorkerDeps,
  chunk: ChunkJob,
  job: Job<unknown>,
  { kind, shard, groups }: TargetGroups,
): Promise<void> {
  const id = job.id ?? '';
  const mayBeAddedAgain = job.name === READDABLE_CHUNK;
  const target = deps.targetOf(kind, shard);
  const fresh = await deps.retryWhileAway(() => dropDuplicates(target, id, groups));
  const time = timeText(chunk.acceptedAt);
  let number = 0;
  let slices = 0;
  for (const part of parts(fresh, time)) {
    for (const { slice, share } of slicesOf(part)) {
      slices += 1;
      const mayWait = slices <= WAITING_SLICES_MAX;
      await appendSlice(deps, target, { id, mayBeAddedAgain, kind, shard, slice, appended: number + share, mayWait });
    }
    number += 1;
  }
}

function byTarget(groups: readonly ChunkGroup[], shards: number): TargetGroups[] {
  const targets = new Map<string, TargetGroups>();
  for (const group of groups) {
    const shard = shardOf(group[2], shards);
    const key = `${shard}${group[0]}`;
    const target = targets.get(key) ?? { kind: group[0], shard, groups: [] };
    target.groups.push(group);
    targets.set(key, target);
  }
  return [...targets.values()];
}

/** An event in the chunk's groups. */
interface Place {
  readonly group: ChunkGroup;
  readonly position: number;
}

/** Claims the producers' ids in the job, not at intake. A claim before the event is durable would swallow the producer's retry. */
async function dropDuplicates(
  target: MailboxTarget,
  chunk: string,
  groups: readonly ChunkGroup[],
): Promise<ChunkGroup[]> {
  const places = new Map<string, Place[]>();
  for (const group of groups) {
    for (const [position, id] of (group[5] ?? []).entries()) {
      if (id === '') continue;
      const digest = producerIdDigest(group[2], id);
      const found = places.get(digest);
      if (found === undefined) places.set(digest, [{ group, position }]);
      else found.push({ group, position });
    }
  }
  const dropped = new Map<ChunkGroup, Set<number>>();
  const all = [...places];
  for (let from = 0; from < all.length; from += CLAIMS_MAX) {
    const some = all.slice(from, from + CLAIMS_MAX);
    const digests = some.map(([digest]) => digest);
    for (const claimed of await target.commands.claimIds(chunk, digests)) {
      for (const { group, position } of some[claimed]?.[1] ?? [])
        dropped.set(group, (dropped.get(group) ?? new Set()).add(position));
    }
  }
  if (dropped.size === 0) return [...groups];
  return groups
    .map((group) => withoutEvents(group, dropped.get(group) ?? new Set()))
    .filter((group) => group !== undefined);
}

/**
 * Cuts groups into parts by entries and characters, also within a group. The same groups give the same parts on every run. Generates one part at a
 * time, because all copies of a shared group would take much more memory.
 */
function* parts(groups: readonly ChunkGroup[], time: string): Generator<AppendGroup[]> {
  let part: AppendGroup[] = [];
  let entries = 0;
  let chars = 0;
  for (const group of groups) {
    const [kind, , account, lane, list] = group;
    for (const destination of destinationsOf(group)) {
      let open: OpenGroup | undefined;
      for (const shared of list) {
        const entry = entryFor(kind, shared, destination);
        if (entries >= PART_ENTRIES_MAX || (entries > 0 && chars + entry.length > PART_CHARS_MAX)) {
          yield part;
          [part, entries, chars, open] = [[], 0, 0, undefined];
        }
        if (open === undefined) part.push((open = emptyGroup({ destination: destination.id, account, lane })));
        open.entries.push(time + entry);
        open.events += Number(entry.slice(0, 4));
        entries += 1;
        chars += entry.length;
      }
    }
  }
  if (part.length > 0) yield part;
}

type OpenGroup = AppendGroup & { events: number; readonly entries: string[] };

const emptyGroup = ({ destination, account, lane }: Omit<AppendGroup, 'events' | 'entries'>): OpenGroup => ({
  destination,
  account,
  lane,
  events: 0,
  entries: [],
});

const eventsIn = (entry: string): number => Number(entry.slice(8, 12));

/** Cuts a part into slices, one per script call. `share` is the fraction of the part that is appended after the slice, 1 after the last. */
function* slicesOf(part: readonly AppendGroup[]): Generator<{ slice: AppendGroup[]; share: number }> {
  const total = part.reduce((sum, { entries }) => sum + entries.length, 0);
  let slice: OpenGroup[] = [];
  let chars = 0;
  let done = 0;
  for (const group of part) {
    let open: OpenGroup | undefined;
    for (const entry of group.entries) {
      const isFull = open === undefined && slice.length >= CALL_GROUPS_MAX;
      if (isFull || (slice.length > 0 && chars + entry.length > CALL_CHARS_MAX)) {
        yield { slice, share: done / total };
        [slice, chars, open] = [[], 0, undefined];
      }
      if (open === undefined) slice.push((open = emptyGroup(group)));
      open.entries.push(entry);
      open.events += eventsIn(entry);
      chars += entry.length;
      done += 1;
    }
  }
  yield { slice, share: 1 };
}

interface Slice {
  readonly id: string;
  readonly mayBeAddedAgain: boolean;
  readonly kind: Mechanism;
  readonly shard: number;
  readonly slice: AppendGroup[];
  /** Parts of the chunk that are appended after this slice. A fraction in the middle of a part. */
  readonly appended: number;
  /** Whether it may wait until the pool has room for its destinations. */
  readonly mayWait: boolean;
}

async function appendSlice(deps: ChunkWorkerDeps, target: MailboxTarget, chunk: Slice): Promise<void> {
  const { id, kind, slice } = chunk;
  const { pool } = target;
  const isNear = chunk.shard === deps.shard;
  const append = async (hasRoom: boolean): Promise<number | undefined> => {
    const most = hasRoom ? slice.length : CALL_CLAIMS_MAX;
    const reply = await deps.retryWhileAway(() => {
      const { proven, others } = pool?.appendRoom ?? NO_ROOM;
      return target.commands.append({
        worker: deps.worker,
        firstClaim: pool?.reserveClaims(slice.length) ?? 0,
        room: { proven: Math.min(proven, most), others: Math.min(others, most) },
        jobKey: isNear ? deps.jobKey(id) : '',
        mark: isNear && !chunk.mayBeAddedAgain ? '' : id,
        part: chunk.appended,
        limits: target.limits,
        groups: slice,
      });
    });
    if (typeof reply === 'string') return undefined;
    if ('newerFormat' in reply) throw new UnrecoverableError(newerMailbox(reply.newerFormat));
    if (reply.dropped > 0) deps.onDropped(kind, reply.dropped);
    pool?.drainClaimed(reply.replies);
    for (const destination of reply.mine) pool?.sendNewEvents(destination);
    return reply.idle;
  };
  await (pool === undefined || !chunk.mayWait ? append(false) : pool.appendGate.run(slice.length, append));
}

const NO_ROOM = { proven: 0, others: 0 };
