import type { ChunkGroup, ChunkJob, Mechanism } from '@mailhook/core';
import { CHUNK_VERSION, chunkJob, shardOf } from '@mailhook/core';
import type { Job } from 'bullmq';
import { UnrecoverableError } from 'bullmq';
import type { DrainPool } from './drain-pool.ts';
import type { RetryWhileAway } from './retry-while-away.ts';
import { isInternalError } from './retry-while-away.ts';
import type { AppendGroup } from '../mailbox/entry.ts';
import { sizeOfChunkEntry, timeText } from '../mailbox/entry.ts';
import { producerIdDigest } from '../mailbox/keys.ts';
import type { AccountShare, FreezeLimits, MailboxCommands } from '../mailbox/commands.ts';
import { countedShares, destinationsOf, entryFor, withoutEvents } from '../publish/chunk.ts';

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
/**
 * Largest slice of a chunk, so that a script call takes only a few milliseconds. A job stores its progress as the
 * number of appended slices, so these limits belong to the stored format.
 */
export const SLICE_MAX = { groups: 125, chars: 300_000 } as const;

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
  if (typeof v === 'number' && v !== CHUNK_VERSION) throw new UnrecoverableError(unknownVersion(v));
  const first = parsed.error.issues[0];
  throw new UnrecoverableError(`malformed chunk: ${first?.path.join('.') ?? ''} ${first?.message ?? ''}`);
}

const unknownVersion = (v: number): string =>
  `malformed chunk: it has version ${v}, but this worker reads version ${CHUNK_VERSION}. Retry the job in a version of Mailhook that reads it`;

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
  const target = deps.targetOf(kind, shard);
  const fresh = await deps.retryWhileAway(() => dropDuplicates(target, id, groups));
  const time = timeText(chunk.acceptedAt);
  const isRepeatable = chunk.isRepeatable === true;
  let number = 0;
  for (const slice of cut(fresh, time)) {
    number += 1;
    await appendSlice(deps, target, { id, isRepeatable, kind, shard, groups: slice, number });
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
 * Cuts groups into slices, also within a group. The same groups give the same slices on every run. Generates one slice
 * at a time, because all copies of a shared group would take much more memory.
 */
function* cut(groups: readonly ChunkGroup[], time: string): Generator<AppendGroup[]> {
  let slice: OpenGroup[] = [];
  let chars = 0;
  for (const group of groups) {
    const [kind, , account, lane, list] = group;
    for (const destination of destinationsOf(group)) {
      let open: OpenGroup | undefined;
      for (const shared of list) {
        const entry = entryFor(kind, shared, destination);
        const isFull = open === undefined && slice.length >= SLICE_MAX.groups;
        if (isFull || (slice.length > 0 && chars + entry.length > SLICE_MAX.chars)) {
          yield slice;
          slice = [];
          chars = 0;
          open = undefined;
        }
        if (open === undefined) {
          open = { destination: destination.id, account, lane, events: 0, entries: [] };
          slice.push(open);
        }
        open.entries.push(time + entry);
        open.events += sizeOfChunkEntry(entry).events;
        chars += entry.length;
      }
    }
  }
  if (slice.length > 0) yield slice;
}

type OpenGroup = AppendGroup & { events: number; readonly entries: string[] };

interface Slice {
  readonly id: string;
  readonly isRepeatable: boolean;
  readonly kind: Mechanism;
  readonly shard: number;
  readonly groups: AppendGroup[];
  /** Its position in the chunk, from 1. */
  readonly number: number;
}

async function appendSlice(deps: ChunkWorkerDeps, target: MailboxTarget, slice: Slice): Promise<void> {
  const { id, kind, groups } = slice;
  const { pool } = target;
  const isNear = slice.shard === deps.shard;
  const append = async (hasRoom: boolean): Promise<number | undefined> => {
    const most = hasRoom ? groups.length : CALL_CLAIMS_MAX;
    const reply = await deps.retryWhileAway(() => {
      const { proven, others } = pool?.appendRoom ?? NO_ROOM;
      return target.commands.append({
        worker: deps.worker,
        firstClaim: pool?.reserveClaims(groups.length) ?? 0,
        room: { proven: Math.min(proven, most), others: Math.min(others, most) },
        jobKey: isNear ? deps.jobKey(id) : '',
        mark: isNear && !slice.isRepeatable ? '' : id,
        slice: slice.number,
        limits: target.limits,
        groups,
      });
    });
    if (typeof reply === 'string') return undefined;
    if (reply.dropped > 0) deps.onDropped(kind, reply.dropped);
    pool?.drainClaimed(reply.replies);
    for (const destination of reply.mine) pool?.sendNewEvents(destination);
    return reply.idle;
  };
  const mayWait = pool !== undefined && slice.number <= WAITING_SLICES_MAX;
  await (mayWait ? pool.appendGate.run(groups.length, append) : append(false));
}

const NO_ROOM = { proven: 0, others: 0 };
