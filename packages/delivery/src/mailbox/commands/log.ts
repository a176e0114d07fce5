import type { LoggedChunkJob, LoggedFields } from '@mailhook/core';
import { loggedFields, mechanism } from '@mailhook/core';
import { JOB_FIELDS } from '@mailhook/platform/queue';
import type { Redis } from '@mailhook/platform/redis';
import { EVENT_KEY_CHARS, GAP_SEPARATOR, LOGGED_CHUNK_BYTES } from '../constants.ts';
import { readerOf, readFields, unset } from '../fields.ts';
import { runnerOf } from '../functions.ts';
import { readLostWrites } from '../heartbeat.ts';
import type { LostWrites } from '../heartbeat.ts';
import { engineKeys } from '../keys.ts';
import type { EngineKeys } from '../keys.ts';
import { OUTCOME } from '../layout.ts';
import type { Values } from '../layout.ts';

/** Notes that a chunk is accepted and not in the event log yet. */
export const openChunks =
  (redis: Redis, keys: EngineKeys) =>
  async (chunk: string, acceptedAtMs: number): Promise<void> => {
    await redis.zadd(keys.logOpen, acceptedAtMs, chunk);
  };

/** An accepted event in the event log's buffer. */
interface BufferedEvent extends LoggedFields {
  /** Unix milliseconds. */
  readonly acceptedAtMs: number;
  readonly chunk: string;
  /** Its position in the chunk. */
  readonly n: number;
  readonly destinations: readonly string[];
}

interface BufferedChunk {
  readonly events: readonly BufferedEvent[];
}

/** What became of the events of a batch at a destination. */
interface BufferedOutcome extends Omit<Values<typeof OUTCOME>, 'sent'> {
  readonly webhookId: string;
  /** The replay that the batch belongs to, '' for none. */
  readonly replay: string;
  /** 8 bytes per event. */
  readonly keys: Buffer;
}

/** Events of an account that were not kept. Times are Unix milliseconds. */
interface BufferedGap {
  readonly account: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly events: number;
}

/** The beginning of a shard's buffer. */
export interface LogBuffer {
  readonly chunks: readonly BufferedChunk[];
  readonly outcomes: readonly BufferedOutcome[];
  readonly gaps: readonly BufferedGap[];
  /** What `trim` needs. */
  readonly read: { readonly args: readonly (string | number | Buffer)[] };
  /** Chunks, outcomes and gaps. */
  readonly size: number;
  /** Whether it holds more than what was read. */
  readonly hasMore: boolean;
}

export interface LogWaiting {
  readonly bytes: number;
  readonly maxBytes: number;
  /** Unix milliseconds. */
  readonly sinceMs: number | undefined;
}

export type LogCommands = ReturnType<typeof createLogCommands>;

/** The event log's buffer of one shard. Rejects with what ioredis rejects with. */
export function createLogCommands(redis: Redis, keys: EngineKeys) {
  const run = runnerOf(redis, keys, 'texts');
  return {
    /** Switches the log on. The buffer takes `maxBytes`. */
    async switchOn(maxBytes: number): Promise<void> {
      await redis.hset(keys.logState, 'max', maxBytes);
    },
    /**
     * Switches the log off, and deletes its buffer. What is deleted is noted before, with the time of its oldest part
     * (Unix milliseconds). A crash in between leaves the rest for the next call.
     */
    async switchOff(noteLost: (sinceMs: number) => Promise<void> = () => Promise.resolve()): Promise<void> {
      if ((await redis.exists(keys.logState)) === 0) return;
      await redis.hdel(keys.logState, 'max');
      const [, openSinceMs] = await redis.zrange(keys.logOpen, '0', '0', 'WITHSCORES');
      if (openSinceMs !== undefined) await noteLost(Number(openSinceMs));
      for (let isEmpty = false; !isEmpty;) {
        const buffer = await take(redis, keys, PAGE);
        const sinceMs = oldestOf(buffer);
        if (sinceMs !== undefined) await noteLost(sinceMs);
        await run('log-trim', ...buffer.read.args);
        isEmpty = buffer.size === 0;
      }
      await redis.unlink(keys.logState, keys.logShares, keys.logOpen);
    },
    isOn: async (): Promise<boolean> => (await redis.hexists(keys.logState, 'max')) === 1,
    /** The spans in which Redis has lost writes of the shard, as found in the last day. */
    async readLostWrites(): Promise<readonly LostWrites[]> {
      const ofKinds = mechanism.options.map((kind) => engineKeys(keys.prefix, keys.shard, kind));
      const found = await Promise.all(ofKinds.map((one) => readLostWrites(redis, one)));
      return found.filter((one) => one !== undefined);
    },
    /** Until this time, in Unix milliseconds, the buffer takes nothing more. */
    async setFullUntil(untilMs: number): Promise<void> {
      await redis.hset(keys.logState, 'fullUntilMs', untilMs);
    },
    /** Bytes in the buffer, its limit, how much was ever taken from it, and whether events found no room in it. */
    async readState() {
      const [state, gaps] = await Promise.all([
        redis.hmget(keys.logState, 'bytes', 'max', 'takenChunks', 'takenOutcomes'),
        redis.exists(keys.logGaps, keys.logClosedGaps),
      ]);
      const [bytes, max, takenChunks, takenOutcomes] = state;
      const taken = `${takenChunks} ${takenOutcomes}`;
      return { bytes: Number(bytes ?? 0), maxBytes: Number(max ?? 0), taken, hasGaps: gaps > 0 };
    },
    /** Bytes in the buffer, its limit, and since when its oldest part waits, undefined if it is empty. */
    async readWaiting(): Promise<LogWaiting> {
      const [[bytes, max], [chunk = ''], [record]] = await Promise.all([
        redis.hmget(keys.logState, 'bytes', 'max'),
        redis.lrange(keys.logChunks, 0, 0),
        redis.lrangeBuffer(keys.logOutcomes, 0, 0),
      ]);
      // When a worker took its job, a moment before it ended.
      const endedAt = chunk === '' ? null : await redis.hget(keys.logChunk(chunk), JOB_FIELDS.takenAt);
      const times = [
        ...(endedAt === null ? [] : [Number(endedAt)]),
        ...(record === undefined ? [] : [readOutcome(record).atMs]),
      ];
      const sinceMs = times.length === 0 ? undefined : Math.min(...times);
      return { bytes: Number(bytes ?? 0), maxBytes: Number(max ?? 0), sinceMs };
    },
    /**
     * The oldest accepted chunk that is not in the log: its id and its time of acceptance in Unix milliseconds.
     * Undefined if all are.
     */
    async oldestOpen(): Promise<{ readonly id: string; readonly acceptedAtMs: number } | undefined> {
      const [id, score] = await redis.zrange(keys.logOpen, '0', '0', 'WITHSCORES');
      return id === undefined ? undefined : { id, acceptedAtMs: Number(score) };
    },
    /** The events of a replay that were delivered, and those that were given up or discarded. */
    async readReplay(replay: string): Promise<{ readonly delivered: number; readonly dead: number }> {
      const counts = await redis.hgetall(keys.logReplay(replay));
      const of = (result: string): number => Number(counts[result] ?? 0);
      return { delivered: of('delivered'), dead: of('dead') + of('discarded') };
    },
    async forgetOpen(chunk: string): Promise<void> {
      await redis.zrem(keys.logOpen, chunk);
    },
    read: (most: ReadLimit) => read(redis, keys, most),
    /** Reads what a segment takes. Its gaps no longer grow: after a crash, the next segment has the same ones. */
    take: (most: ReadLimit) => take(redis, keys, most),
    /** All that the buffer has of these accounts. What is trimmed meanwhile may be missing. */
    readOf: (accounts: ReadonlySet<string>) => readOf(redis, keys, accounts),
    /** Removes what was read, except gaps that may still grow. False if another api has done it. */
    trim: async ({ args }: LogBuffer['read']): Promise<boolean> => (await run('log-trim', ...args)) === 1,
  };
}

interface ReadLimit {
  readonly chunks: number;
  readonly outcomes: number;
  /** Of chunks. It may be exceeded by a few of them. */
  readonly bytes: number;
}

/** What a reading of accounts has in memory at a time, besides what it found. */
const PAGE: ReadLimit = { chunks: 2000, outcomes: 20_000, bytes: 4_000_000 };

/** Chunks that are read together first. One may have 4 MB, and most have a few kB. */
const CHUNKS_AT_FIRST = 4;
const CHUNKS_AT_ONCE = { count: 500, bytes: 4_000_000 };

/** How far a reading of accounts has come, in chunks and outcomes. */
interface Place {
  readonly chunks: number;
  readonly outcomes: number;
}
const START: Place = { chunks: 0, outcomes: 0 };

async function take(redis: Redis, keys: EngineKeys, most: ReadLimit): Promise<LogBuffer> {
  if ((await redis.exists(keys.logGaps)) === 1) await redis.renamenx(keys.logGaps, keys.logClosedGaps);
  return read(redis, keys, most, { ...ALL, gaps: [keys.logClosedGaps] });
}

function oldestOf({ chunks, outcomes, gaps }: LogBuffer): number | undefined {
  const times = [
    ...chunks.flatMap(({ events: [first] }) => (first === undefined ? [] : [first.acceptedAtMs])),
    ...outcomes.map(({ atMs }) => atMs),
    ...gaps.map(({ fromMs }) => fromMs),
  ];
  return times.length === 0 ? undefined : Math.min(...times);
}

async function readOf(redis: Redis, keys: EngineKeys, accounts: ReadonlySet<string>) {
  const isOwn = ({ account }: { readonly account: string }): boolean => accounts.has(account);
  const chunks: BufferedChunk[] = [];
  const outcomes: BufferedOutcome[] = [];
  // Counted from the first chunk and outcome that the buffer ever had.
  let done = START;
  let skip = START;
  for (;;) {
    const part = await read(redis, keys, PAGE, { ...ALL, skip, accounts });
    const [takenChunks, readChunks, takenOutcomes, readOutcomes] = part.read.args.slice(0, 4).map(Number) as Counts;
    const taken = { chunks: takenChunks, outcomes: takenOutcomes };
    // An api has trimmed the buffer meanwhile, so that what follows has moved to its beginning.
    const hasMoved = (of: keyof Place): boolean => skip[of] > 0 && taken[of] + skip[of] > done[of];
    if (hasMoved('chunks') || hasMoved('outcomes')) {
      skip = skipped(done, taken);
      continue;
    }
    chunks.push(...part.chunks.filter(({ events }) => events.length > 0));
    outcomes.push(...part.outcomes.filter(isOwn));
    if (!part.hasMore) return { chunks, outcomes, gaps: part.gaps.filter(isOwn) };
    done = {
      chunks: taken.chunks + skip.chunks + readChunks,
      outcomes: taken.outcomes + skip.outcomes + readOutcomes,
    };
    skip = skipped(done, taken);
  }
}

/** The beginning of the arguments of `trim`. */
type Counts = [takenChunks: number, readChunks: number, takenOutcomes: number, readOutcomes: number];

const skipped = (done: Place, taken: Place): Place => ({
  chunks: Math.max(0, done.chunks - taken.chunks),
  outcomes: Math.max(0, done.outcomes - taken.outcomes),
});

interface Part {
  readonly skip: Place;
  /** Undefined: all. */
  readonly accounts: ReadonlySet<string> | undefined;
  /** Keys. Undefined: all. */
  readonly gaps: readonly string[] | undefined;
}
const ALL: Part = { skip: START, accounts: undefined, gaps: undefined };

async function read(
  redis: Redis,
  keys: EngineKeys,
  most: ReadLimit,
  { skip, accounts, gaps: gapKeys = [keys.logClosedGaps, keys.logGaps] }: Part = ALL,
): Promise<LogBuffer> {
  const reading = redis
    .multi()
    .hmget(keys.logState, 'takenChunks', 'takenOutcomes')
    .lrange(keys.logChunks, skip.chunks, skip.chunks + most.chunks)
    .lrangeBuffer(keys.logOutcomes, skip.outcomes, skip.outcomes + most.outcomes);
  for (const key of gapKeys) reading.hgetall(key);
  const [taken, ids, records, ...found] = ((await reading.exec()) ?? []).map(([error, reply]) => {
    if (error !== null) throw error;
    return reply;
  }) as [(string | null)[], string[], Buffer[], ...Record<string, string>[]];
  const gaps = found.flatMap((one) => Object.entries(one));
  const chunks = await readChunks((id) => readChunk(redis, keys, id, accounts), ids.slice(0, most.chunks), most.bytes);
  const chunkIds = ids.slice(0, chunks.length);
  const ownRecords = records.slice(0, most.outcomes);
  const hasMore = ids.length > chunks.length || records.length > ownRecords.length;
  const outcomes = ownRecords.map(readOutcome);
  const sizes = ownRecords.map(({ length }, i) => ({ account: outcomes[i]?.account ?? '', bytes: length }));
  const shares = [...sharesOf(chunks, sizes)].flat();
  const bytes = [...chunks, ...sizes].reduce((sum, one) => sum + one.bytes, 0);
  const chunkText = chunkIds.join('');
  const counts = [Number(taken[0] ?? 0), chunks.length, Number(taken[1] ?? 0), ownRecords.length];
  return {
    chunks,
    outcomes,
    gaps: gaps.map(([account, text]) => readGap(account, text)),
    read: {
      args: [...counts, bytes, chunkText, ownRecords.at(-1) ?? '', shares.length / 2, ...shares, ...gaps.flat()],
    },
    size: chunks.length + ownRecords.length + gaps.length,
    hasMore,
  };
}

/** The bytes of each account, as the functions count them (`includes/log.lua`). */
function sharesOf(
  chunks: readonly ReadChunk[],
  outcomes: readonly { readonly account: string; readonly bytes: number }[],
): Map<string, number> {
  const shares = new Map<string, number>();
  const add = (account: string, bytes: number) => shares.set(account, (shares.get(account) ?? 0) + bytes);
  for (const { bytes, counts, leftOut } of chunks) {
    const total = [...counts.values()].reduce((sum, events) => sum + events, 0);
    for (const [account, events] of counts)
      if (!leftOut.has(account)) add(account, Math.ceil((bytes * events) / total));
  }
  for (const { account, bytes } of outcomes) add(account, bytes);
  return shares;
}

/** The events per account, also those whose id was claimed before. */
export function eventsByAccount(sets: LoggedChunkJob['sets']): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { account, events } of sets) counts.set(account, (counts.get(account) ?? 0) + events.length);
  return counts;
}

/** The first of these chunks, up to some bytes. */
async function readChunks(readOne: (id: string) => Promise<ReadChunk>, ids: readonly string[], bytesMax: number) {
  const chunks: ReadChunk[] = [];
  let bytes = 0;
  let atOnce = CHUNKS_AT_FIRST;
  while (chunks.length < ids.length && bytes < bytesMax) {
    const some = ids.slice(chunks.length, chunks.length + atOnce);
    for (const chunk of await Promise.all(some.map(readOne))) {
      chunks.push(chunk);
      bytes += chunk.bytes;
    }
    const fitting = Math.ceil((CHUNKS_AT_ONCE.bytes * chunks.length) / (bytes + 1));
    atOnce = Math.min(CHUNKS_AT_ONCE.count, fitting);
  }
  return chunks;
}

interface ReadChunk extends BufferedChunk {
  /** As the functions count them. */
  readonly bytes: number;
  /** Events per account. */
  readonly counts: ReadonlyMap<string, number>;
  /** The buffer had no room for events of these accounts. They count as a gap. */
  readonly leftOut: ReadonlySet<string>;
}

const NO_CHUNK: ReadChunk = { events: [], bytes: 0, counts: new Map(), leftOut: new Set() };

async function readChunk(
  redis: Redis,
  keys: EngineKeys,
  id: string,
  accounts: ReadonlySet<string> | undefined,
): Promise<ReadChunk> {
  const [data, duplicates, leftOut] = await redis.hmget(keys.logChunk(id), 'data', 'duplicates', 'leftOut');
  // Another api has trimmed it.
  if (data == null) return NO_CHUNK;
  const bytes = LOGGED_CHUNK_BYTES + Buffer.byteLength(data);
  // Most chunks have none of the accounts, and parsing all of them would take long.
  if (accounts && ![...accounts].some((account) => data.includes(JSON.stringify(account))))
    return { ...NO_CHUNK, bytes };
  // A worker has checked it.
  const job = JSON.parse(data) as LoggedChunkJob;
  const known = new Set(
    (duplicates ?? '')
      .split(' ')
      .filter((text) => text !== '')
      .map(Number),
  );
  const others = new Set(leftOut == null ? [] : (JSON.parse(leftOut) as string[]));
  const events: BufferedEvent[] = [];
  let n = 0;
  for (const { account, module, to, events: texts } of job.sets) {
    const destinations = to.map(([destination]) => destination);
    for (const text of texts) {
      if (!known.has(n) && !others.has(account) && accounts?.has(account) !== false) {
        const fields = loggedFields(module, text);
        events.push({ acceptedAtMs: job.acceptedAt, chunk: id, n, account, module, fields, destinations });
      }
      n += 1;
    }
  }
  return { events, bytes, counts: eventsByAccount(job.sets), leftOut: others };
}

const outcomeReader = readerOf(OUTCOME);

function readOutcome(record: Buffer): BufferedOutcome {
  const values = { ...unset(OUTCOME) };
  readFields(outcomeReader, record, 0, values);
  const { sent, ...outcome } = values;
  const [webhookId = '', replay = '', keys = ''] = sent.split('\n');
  return { ...outcome, webhookId, replay, keys: Buffer.from(keys.slice(0, keysLength(keys)), 'hex') };
}

/** Whole keys only. */
const keysLength = ({ length }: string): number => length - (length % EVENT_KEY_CHARS);

function readGap(account: string, text: string): BufferedGap {
  const [fromMs = 0, toMs = 0, events = 0] = text.split(GAP_SEPARATOR).map(Number);
  return { account, fromMs, toMs, events };
}
