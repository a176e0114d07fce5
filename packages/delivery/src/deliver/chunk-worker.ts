import type { ChunkGroup, ChunkJob, LoggedChunkJob, Mechanism } from '@mailhook/core';
import { CHUNK_VERSION, chunkJob, KINDS, loggedChunkJob, shardOf } from '@mailhook/core';
import { JOB_ENDED } from '@mailhook/platform/queue';
import type { Job } from 'bullmq';
import { UnrecoverableError } from 'bullmq';
import type { AppendGroup } from '../mailbox/entry.ts';
import { sizeOfChunkEntry, timeText } from '../mailbox/entry.ts';
import { producerIdDigest } from '../mailbox/keys.ts';
import type { ChunkLog, IdClaim, JobEnd } from '../mailbox/commands/engine.ts';
import { eventsByAccount } from '../mailbox/commands/log.ts';
import { SHARES_PER_CALL } from '../mailbox/commands/publish.ts';
import { CLAIMS_MAX, INTERNAL_ERRORS_MAX, SLICE_MAX } from './limits.ts';
import type { RetryWhileAway } from './queue-workers.ts';
import { isInternalError } from './queue-workers.ts';
import { destinationsOf, entryFor, isSingleGroup, withoutEvents } from '../publish/chunk.ts';
import { groupsOf, idsOfLogged } from '../publish/logged-chunk.ts';
import { sharesOf } from '../publish/shares.ts';

/** A part of a chunk that one call appends. */
export interface ChunkSlice {
  /** Redis key of the job, '' if it lies in another shard. */
  readonly jobKey: string;
  /** The chunk whose key `progress` notes that the slice is appended; '' if the job does. */
  readonly progress: string;
  /** Its position in the chunk, from 1. */
  readonly number: number;
  /** What ends with the job, if its append ends the job. */
  readonly end?: JobEnd | undefined;
  readonly groups: readonly AppendGroup[];
}

/** The mailboxes of one mechanism and shard. */
export interface MailboxTarget {
  /** Resolves with the positions of duplicates. */
  readonly claimIds: (claim: IdClaim) => Promise<ReadonlySet<number>>;
  /** Ends what `claimIds` remembers of a chunk of another shard. */
  readonly forgetClaims: (chunk: string) => Promise<void>;
  /**
   * Appends a slice once, however often it is called. Resolves with the events of deleted destinations, which it drops.
   */
  readonly append: (slice: ChunkSlice) => Promise<number>;
}

export interface ChunkWorkerDeps {
  readonly shards: number;
  readonly targetOf: (kind: Mechanism, shard: number) => MailboxTarget;
  /**
   * Redis key of a job of this queue, for functions of the same shard. With it, a stalled run cannot append a job that
   * is already deleted.
   */
  readonly jobKey: (jobId: string) => string;
  readonly shard: number;
  readonly retryWhileAway: RetryWhileAway;
  /** Ends the job of an appended chunk that its last append could not end. */
  readonly end: (jobKey: string, end: JobEnd) => Promise<void>;
  readonly onDropped: (events: number) => void;
}

/**
 * Processes chunk jobs. Appends each group to its mailbox once, however often the job runs, and starts to drain idle
 * destinations. Rejects with JOB_ENDED if the last append has ended the job.
 */
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
    const id = job.id ?? '';
    const chunk = await openChunk(deps, id, readChunk(job));
    const { end } = chunk;
    const targets = byTarget(chunk.groups, deps.shards);
    const isOneCall = targets.length === 1 && targets[0]?.shard === deps.shard && end.shares.length <= SHARES_PER_CALL;
    const appends = targets.map((target) => appendTo(deps, chunk, target, isOneCall ? end : undefined));
    // Wait for every append, even after a failure, because a stopping worker must not claim destinations after its jobs
    // have ended.
    const results = await Promise.allSettled(appends);
    const failed = results.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    if (results.some((result) => result.status === 'fulfilled' && result.value)) throw JOB_ENDED;
    await deps.retryWhileAway(() => deps.end(deps.jobKey(id), end));
    // Only now: another run of the job must get the same reply, or the log would lack events.
    for (const target of chunk.claimedAt) await deps.retryWhileAway(() => target.forgetClaims(id));
    throw JOB_ENDED;
  };

/** A chunk on its way into mailboxes. */
interface OpenChunk extends Pick<ChunkJob, 'acceptedAt' | 'groups' | 'isRepeatable'> {
  readonly id: string;
  readonly end: JobEnd;
  /** The mailboxes of other shards that remember which ids of a logged chunk were duplicates. */
  readonly claimedAt: readonly MailboxTarget[];
}

/** Makes the groups of a chunk. Of one for the event log, it claims the ids first. */
async function openChunk(deps: ChunkWorkerDeps, id: string, chunk: ChunkJob | LoggedChunkJob): Promise<OpenChunk> {
  const shares = chunk.isCounted === true ? sharesOf(chunk) : [];
  if ('groups' in chunk) return { ...chunk, id, end: { id, shares, log: undefined }, claimedAt: [] };
  const { acceptedAt, isRepeatable } = chunk;
  const { duplicates, claimedAt } = await claimLogged(deps, id, chunk);
  const log: ChunkLog = {
    accounts: [...eventsByAccount(chunk.sets)],
    duplicates: [...duplicates],
    isRepeatable: isRepeatable === true,
  };
  const groups = groupsOf(id, chunk, duplicates);
  return { acceptedAt, isRepeatable, id, groups, end: { id, shares, log }, claimedAt };
}

/** Claims the ids of a chunk for the event log. `claimedAt`: the mailboxes of other shards that remember it. */
async function claimLogged(
  deps: ChunkWorkerDeps,
  id: string,
  chunk: LoggedChunkJob,
): Promise<{ readonly duplicates: ReadonlySet<number>; readonly claimedAt: readonly MailboxTarget[] }> {
  const targets = new Map<string, { kind: Mechanism; shard: number; ids: ReturnType<typeof idsOfLogged> }>();
  for (const one of idsOfLogged(chunk)) {
    const [kind, shard] = [KINDS[one.module], shardOf(one.account, deps.shards)];
    const target = targets.get(`${shard}${kind}`) ?? { kind, shard, ids: [] };
    target.ids.push(one);
    targets.set(`${shard}${kind}`, target);
  }
  const found = await Promise.all(
    [...targets.values()].map(async ({ kind, shard, ids: own }) => {
      const jobKey = shard === deps.shard ? deps.jobKey(id) : '';
      const digests = own.map(({ account, typeAndId }) => producerIdDigest(account, kind, typeAndId));
      const claim = { jobKey, chunk: id };
      const known = await deps.retryWhileAway(() => claimAll(deps.targetOf(kind, shard), claim, digests));
      return own.filter((_, position) => known.has(position)).map(({ number }) => number);
    }),
  );
  const far = [...targets.values()].filter(({ shard }) => shard !== deps.shard);
  return { duplicates: new Set(found.flat()), claimedAt: far.map(({ kind, shard }) => deps.targetOf(kind, shard)) };
}

function readChunk(job: Job<unknown>): ChunkJob | LoggedChunkJob {
  const schema = typeof job.data === 'object' && job.data !== null && 'sets' in job.data ? loggedChunkJob : chunkJob;
  const parsed = schema.safeParse(job.data);
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

/**
 * Appends a chunk's groups to the mailboxes of one mechanism and shard. Given `end`, the last slice ends the job.
 * Resolves with whether it did.
 */
async function appendTo(
  deps: ChunkWorkerDeps,
  chunk: OpenChunk,
  { kind, shard, groups }: TargetGroups,
  end: JobEnd | undefined,
): Promise<boolean> {
  const { id } = chunk;
  const target = deps.targetOf(kind, shard);
  const isNear = shard === deps.shard;
  const jobKey = isNear ? deps.jobKey(id) : '';
  const fresh = await deps.retryWhileAway(() => dropDuplicates(target, { jobKey, chunk: id }, groups));
  const progress = isNear && chunk.isRepeatable !== true ? '' : id;
  const slices = slicesOf(fresh, timeText(chunk.acceptedAt));
  let number = 0;
  for (let slice = slices.next(); slice.done !== true;) {
    number += 1;
    const next = slices.next();
    const append = { jobKey, progress, number, end: next.done === true ? end : undefined, groups: slice.value };
    const dropped = await deps.retryWhileAway(() => target.append(append));
    if (dropped > 0) deps.onDropped(dropped);
    slice = next;
  }
  if (!isNear && groups.some(([, , , , , ids]) => ids !== null)) {
    await deps.retryWhileAway(() => target.forgetClaims(id));
  }
  return end !== undefined && number > 0;
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

/** Resolves with the positions of the digests that were claimed before. */
async function claimAll(
  target: MailboxTarget,
  job: Pick<IdClaim, 'jobKey' | 'chunk'>,
  digests: readonly string[],
): Promise<ReadonlySet<number>> {
  const known = new Set<number>();
  for (let from = 0; from < digests.length; from += CLAIMS_MAX) {
    const some = digests.slice(from, from + CLAIMS_MAX);
    const claimed = await target.claimIds({ ...job, part: from / CLAIMS_MAX + 1, digests: some });
    for (const position of claimed) known.add(from + position);
  }
  return known;
}

/** An event in the chunk's groups. */
interface Place {
  readonly group: ChunkGroup;
  readonly position: number;
}

/**
 * Claims the producers' ids in the job, not at intake. A claim before the event is durable would swallow the producer's
 * retry.
 */
async function dropDuplicates(
  target: MailboxTarget,
  job: Pick<IdClaim, 'jobKey' | 'chunk'>,
  groups: readonly ChunkGroup[],
): Promise<ChunkGroup[]> {
  const places = new Map<string, Place[]>();
  for (const group of groups) {
    for (const [position, id] of (group[5] ?? []).entries()) {
      if (id === '') continue;
      const digest = producerIdDigest(group[2], group[0], id);
      const found = places.get(digest);
      if (found === undefined) places.set(digest, [{ group, position }]);
      else found.push({ group, position });
    }
  }
  const dropped = new Map<ChunkGroup, Set<number>>();
  const all = [...places.values()];
  for (const claimed of await claimAll(target, job, [...places.keys()])) {
    for (const { group, position } of all[claimed] ?? [])
      dropped.set(group, (dropped.get(group) ?? new Set()).add(position));
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
function* slicesOf(groups: readonly ChunkGroup[], time: string): Generator<AppendGroup[]> {
  let slice: OpenGroup[] = [];
  let chars = 0;
  for (const group of groups) {
    const [, , account, lane, list] = group;
    const isSingle = isSingleGroup(group);
    for (const destination of destinationsOf(group)) {
      let open: OpenGroup | undefined;
      for (const shared of list) {
        const entry = entryFor(shared, destination);
        const isFull = open === undefined && slice.length >= SLICE_MAX.groups;
        if (isFull || (slice.length > 0 && chars + entry.length > SLICE_MAX.chars)) {
          yield slice;
          slice = [];
          chars = 0;
          open = undefined;
        }
        if (open === undefined) {
          open = { destination: destination.id, account, lane, isSingle, events: 0, entries: [] };
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
