import { SHAPES } from '@mailhook/core';
import type { Shape } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import { DELETED, LONG_FIELD } from './constants.ts';
import type { DeadLetterId } from './dead-letter-id.ts';
import { acceptedAtMs } from './entry.ts';
import { readerOf, readFields, unset } from './fields.ts';
import { engineKeys } from './keys.ts';
import type { EngineKeys } from './keys.ts';
import { RECORD, TARGET } from './layout.ts';
import type { NewLane, Values } from './layout.ts';
import type { MailboxState } from './state.ts';
import { NO_STATE, readState } from './state.ts';

/** The part of a record that only a request needs. */
export type Target = Values<typeof TARGET>;

/** The record of a destination, which is in two hashes. `layout.ts` says what each field means. */
type DestinationRecord = Values<typeof RECORD> & Target;

const NO_TARGET: Target = unset(TARGET);
const NO_RECORD: DestinationRecord = { ...unset(RECORD), ...NO_TARGET };
const [recordReader, targetReader] = [readerOf(RECORD), readerOf(TARGET)];

export function readTarget(bytes: Buffer): Target {
  const target = { ...NO_TARGET };
  readFields(targetReader, bytes, 0, target);
  return target;
}

function readRecord(bytes: Buffer, targetBytes: Buffer): DestinationRecord {
  const record = { ...NO_RECORD };
  readFields(recordReader, bytes, 0, record);
  readFields(targetReader, targetBytes, 0, record);
  return record;
}

/** A mailbox with the record of its destination. */
export interface Mailbox {
  readonly destination: string;
  readonly state: MailboxState;
  /** The first entry of the lane f, '' if it is in the list. */
  readonly head: string;
  /** Undefined if the destination has no record. */
  readonly record: DestinationRecord | undefined;
}

/** Reads mailboxes, in the order of their destinations. A mailbox without a state has that of its record. */
export async function readMailboxes(
  redis: Redis,
  keys: EngineKeys,
  destinations: readonly string[],
): Promise<readonly Mailbox[]> {
  if (destinations.length === 0) return [];
  const [states, records, targets, heads] = await Promise.all([
    redis.hmgetBuffer(keys.live, ...destinations),
    redis.hmgetBuffer(keys.records, ...destinations),
    redis.hmgetBuffer(keys.targets, ...destinations),
    redis.hmget(keys.heads, ...destinations),
  ]);
  return destinations.map((destination, i) => {
    const [state, recordBytes, target] = [states[i], records[i], targets[i]];
    const record = recordBytes == null || target == null ? undefined : readRecord(recordBytes, target);
    return { destination, state: stateOf(state, record), head: heads[i] ?? '', record };
  });
}

export async function readMailbox(redis: Redis, keys: EngineKeys, destination: string): Promise<Mailbox> {
  const [mailbox] = await readMailboxes(redis, keys, [destination]);
  return mailbox as Mailbox;
}

function stateOf(bytes: Buffer | null | undefined, record: DestinationRecord | undefined): MailboxState {
  if (bytes != null) return readState(bytes);
  if (record === undefined) return NO_STATE;
  return { ...NO_STATE, ...Object.fromEntries(RECORD.map(([name]) => [name, record[name]])) };
}

/** A page of the live mailboxes, with their states. `next`: the cursor of the next page, '0' after the last. */
export async function scanLive(
  redis: Redis,
  keys: EngineKeys,
  cursor: string,
  count: number,
): Promise<{ readonly next: string; readonly states: readonly (readonly [destination: string, MailboxState])[] }> {
  const [next, fields] = await redis.hscanBuffer(keys.live, cursor, 'COUNT', String(count));
  const states: [string, MailboxState][] = [];
  for (let i = 0; i < fields.length; i += 2) {
    const [destination, bytes] = [fields[i] as Buffer, fields[i + 1] as Buffer];
    if (bytes.length > 0) states.push([destination.toString(), readState(bytes)]);
  }
  return { next: next.toString(), states };
}

/** A page of the destinations with a record that is not of a deleted one. `next`: as that of `scanLive`. */
export async function scanRecords(
  redis: Redis,
  keys: EngineKeys,
  cursor: string,
  count: number,
): Promise<{ readonly next: string; readonly destinations: readonly string[] }> {
  const [next, fields] = await redis.hscanBuffer(keys.records, cursor, 'COUNT', String(count));
  const destinations: string[] = [];
  for (let i = 0; i < fields.length; i += 2) {
    const record = (fields[i + 1] as Buffer)[0];
    if (record !== undefined && record !== DELETED) destinations.push(String(fields[i]));
  }
  return { next: next.toString(), destinations };
}

/** Reads only the states, in the order of the destinations. `NO_STATE` for a mailbox that has none. */
export async function readStates(
  redis: Redis,
  keys: EngineKeys,
  destinations: readonly string[],
): Promise<readonly Pick<Mailbox, 'destination' | 'state'>[]> {
  const states = destinations.length === 0 ? [] : await redis.hmgetBuffer(keys.live, ...destinations);
  return destinations.map((destination, i) => {
    const bytes = states[i];
    return { destination, state: bytes == null ? NO_STATE : readState(bytes) };
  });
}

/** Whether a destination has a record, be it of a deleted one. */
export const hasRecord = async (redis: Redis, keys: EngineKeys, destination: string): Promise<boolean> =>
  (await redis.hexists(keys.records, destination)) === 1;

/** Whether a destination has a record, or a mailbox with events that arrived before it. */
export async function hasMailbox(redis: Redis, keys: EngineKeys, destination: string): Promise<boolean> {
  const found = await Promise.all([hasRecord(redis, keys, destination), redis.hexists(keys.live, destination)]);
  return found[0] || found[1] === 1;
}

/** The number of live mailboxes: those that hold events or resends, are parked or paused, or remember failures. */
export async function countLive(redis: Redis, keys: EngineKeys): Promise<number> {
  const [fields, longFields] = await Promise.all([redis.hlen(keys.live), redis.hexists(keys.live, LONG_FIELD)]);
  return fields - longFields;
}

/** Entries of a lane from a position, at most `count`. The lane f begins with the head. */
export async function readEntries(
  redis: Redis,
  keys: EngineKeys,
  { destination, head }: Pick<Mailbox, 'destination' | 'head'>,
  lane: NewLane,
  from: number,
  count: number,
): Promise<readonly string[]> {
  const heads = lane === 'f' && head !== '' ? 1 : 0;
  const first = from < heads ? [head] : [];
  const start = Math.max(0, from - heads);
  const end = from - heads + count;
  return end === start ? first : [...first, ...(await redis.lrange(keys.lane(lane, destination), start, end - 1))];
}

/**
 * When the first entry of each mailbox was accepted, in Unix milliseconds, in the order of the mailboxes. Infinite
 * without entries. They include entries of settled batches that are not trimmed yet.
 */
export async function readOldestMs(
  redis: Redis,
  keys: EngineKeys,
  mailboxes: readonly Pick<Mailbox, 'destination'>[],
): Promise<readonly number[]> {
  const pipeline = redis.pipeline();
  for (const { destination } of mailboxes) {
    pipeline.hget(keys.heads, destination);
    pipeline.lindex(keys.lane('f', destination), 0);
    pipeline.lindex(keys.lane('u', destination), 0);
  }
  const replies = mailboxes.length === 0 ? [] : await repliesOf<string | null>(pipeline);
  return mailboxes.map((_, i) => {
    const entries = replies.slice(3 * i, 3 * i + 3);
    const times = entries.map((entry) => acceptedAtMs(entry ?? '')).filter((time) => !Number.isNaN(time));
    return Math.min(Number.POSITIVE_INFINITY, ...times);
  });
}

/** A resend without its body. */
export interface ResendRecord {
  readonly id: string;
  readonly destination: string;
  readonly webhookId: string;
  /** When the oldest of its events was accepted, in Unix milliseconds. NaN if that is not known. */
  readonly acceptedAtMs: number;
  readonly events: number;
  /** The number of its last attempt. */
  readonly attempt: number;
  /** Of the last attempt. */
  readonly error: string;
  readonly shape: Shape;
}

const shapeOf = (text: string | null | undefined): Shape => SHAPES[Number(text ?? 0)] ?? 'single';

const RESEND_FIELDS = ['destination', 'webhookId', 'acceptedAt', 'events', 'attempt', 'error', 'shape'] as const;

/** Reads resends, in the order of their ids. Leaves out those that are gone. */
export async function readResends(
  redis: Redis,
  keys: EngineKeys,
  ids: readonly string[],
): Promise<readonly ResendRecord[]> {
  const rows = await readHashes(
    redis,
    ids.map((id) => keys.resend(id)),
    RESEND_FIELDS,
  );
  return rows.flatMap((row, i) => resendOf(ids[i] as string, row));
}

/** Reads a resend with its body: its fragments, one per line. Undefined if it is gone. */
export async function readResend(
  redis: Redis,
  keys: EngineKeys,
  id: string,
): Promise<{ readonly resend: ResendRecord; readonly body: string } | undefined> {
  const row = await redis.hmget(keys.resend(id), ...RESEND_FIELDS, 'body');
  const [resend] = resendOf(id, row);
  return resend === undefined ? undefined : { resend, body: row[RESEND_FIELDS.length] ?? '' };
}

/** Whether a destination has a resend with this mark of a replay, or one that changed meanwhile. */
export async function hasResendOf(redis: Redis, keys: EngineKeys, destination: string, mark: string): Promise<boolean> {
  const ids = await redis.smembers(keys.resendsOf(destination));
  for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
    const some = ids.slice(from, from + READ_AT_ONCE).map((id) => keys.resend(id));
    const rows = await readHashes(redis, some, ['destination', 'traces']);
    if (rows.some(([owner, traces]) => owner == null || traces === mark)) return true;
  }
  return false;
}

function resendOf(id: string, row: Row): readonly ResendRecord[] {
  const [destination, webhookId, acceptedAt, events, attempt, error, shape] = row;
  if (destination == null) return [];
  return [
    {
      id,
      destination,
      webhookId: webhookId ?? '',
      acceptedAtMs: acceptedAtMs(acceptedAt ?? ''),
      events: Number(events),
      attempt: Number(attempt),
      error: error ?? '',
      shape: shapeOf(shape),
    },
  ];
}

/** A dead letter without its events. */
export interface DeadLetterRecord {
  readonly place: DeadLetterId;
  readonly account: string;
  readonly destination: string;
  readonly address: string;
  readonly events: number;
  /** 0 if its events were never sent. */
  readonly attempts: number;
  /** Why its events were given up. */
  readonly error: string;
  /** When they were, in Unix milliseconds by the time of the commands. */
  readonly timeMs: number;
  /** Of the last attempt. '' if its events were never sent. */
  readonly webhookId: string;
  readonly shape: Shape;
}

const DEAD_LETTER_FIELDS = [
  'account',
  'destination',
  'address',
  'events',
  'attempts',
  'error',
  'time',
  'webhookId',
  'shape',
] as const;

/** Reads dead letters of an installation, in the order of their places. Leaves out those that are gone. */
export async function readDeadLetters(
  redis: Redis,
  queuePrefix: string,
  places: readonly DeadLetterId[],
): Promise<readonly DeadLetterRecord[]> {
  const rows = await readHashes(
    redis,
    places.map(({ kind, shard, id }) => engineKeys(queuePrefix, shard, kind).deadLetter(id)),
    DEAD_LETTER_FIELDS,
  );
  return rows.flatMap((row, i) => deadLetterOf(places[i] as DeadLetterId, row));
}

/** A dead letter with its events: the body of a batch that was sent, or entries that never were. */
export interface StoredDeadLetter {
  readonly deadLetter: DeadLetterRecord;
  readonly body: string | undefined;
  readonly entries: readonly string[];
}

/** Undefined if it is gone. */
export async function readDeadLetter(
  redis: Redis,
  queuePrefix: string,
  place: DeadLetterId,
): Promise<StoredDeadLetter | undefined> {
  const keys = engineKeys(queuePrefix, place.shard, place.kind);
  const row = await redis.hmget(keys.deadLetter(place.id), ...DEAD_LETTER_FIELDS, 'body');
  const [deadLetter] = deadLetterOf(place, row);
  if (deadLetter === undefined) return undefined;
  const body = row[DEAD_LETTER_FIELDS.length] ?? undefined;
  const entries = body === undefined ? await redis.lrange(keys.deadLetterEntries(place.id), 0, -1) : [];
  return { deadLetter, body, entries };
}

function deadLetterOf(place: DeadLetterId, row: Row): readonly DeadLetterRecord[] {
  const [account, destination, address, events, attempts, error, time, webhookId, shape] = row;
  if (account == null) return [];
  return [
    {
      place,
      account,
      destination: destination ?? '',
      address: address ?? '',
      events: Number(events),
      attempts: Number(attempts),
      error: error ?? '',
      timeMs: Number(time),
      webhookId: webhookId ?? '',
      shape: shapeOf(shape),
    },
  ];
}

type Row = readonly (string | null)[];

/** Hashes per pipeline, so that no reply is large. */
const READ_AT_ONCE = 500;

async function readHashes(redis: Redis, hashes: readonly string[], fields: readonly string[]): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let from = 0; from < hashes.length; from += READ_AT_ONCE) {
    const pipeline = redis.pipeline();
    for (const key of hashes.slice(from, from + READ_AT_ONCE)) pipeline.hmget(key, ...fields);
    rows.push(...(await repliesOf<Row>(pipeline)));
  }
  return rows;
}

async function repliesOf<Reply>(pipeline: ReturnType<Redis['pipeline']>): Promise<Reply[]> {
  return ((await pipeline.exec()) ?? []).map(([error, reply]) => {
    if (error !== null) throw error;
    return reply as Reply;
  });
}
