import type { Redis } from '@mailhook/platform/redis';
import type { EngineKeys } from './keys.ts';
import type { MailboxState } from './state.ts';
import { NO_STATE, readState } from './state.ts';

/** The record of a destination, as `lua/includes/records.lua` packs it. */
export interface DestinationRecord {
  /** UNKNOWN to DELETED. */
  readonly record: number;
  readonly isProven: boolean;
  /** Of the destination in the store. */
  readonly version: number;
  /** Grows with every change. */
  readonly revision: number;
  readonly account: string;
  readonly address: string;
  /** Why it is inactive, '' while it is active. */
  readonly reason: string;
  /** Signing secrets and custom headers, as `formatCredentials` writes them. */
  readonly credentials: string;
}

const TEXTS_AT = 10;

export function readRecord(bytes: Buffer): DestinationRecord {
  let at = TEXTS_AT;
  const text = (): string => {
    const start = at + 2;
    at = start + bytes.readUInt16BE(at);
    return bytes.toString('utf8', start, at);
  };
  const account = text();
  const address = text();
  const reason = text();
  return {
    record: bytes[0] ?? 0,
    isProven: bytes[1] === 1,
    version: bytes.readUInt32BE(2),
    revision: bytes.readUInt32BE(6),
    account,
    address,
    reason,
    credentials: bytes.toString('utf8', at, bytes.length),
  };
}

/** A mailbox with the record of its destination. */
export interface Mailbox {
  readonly destination: string;
  readonly state: MailboxState;
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
  const [states, records] = await Promise.all([
    redis.hmgetBuffer(keys.live, ...destinations),
    redis.hmgetBuffer(keys.records, ...destinations),
  ]);
  return destinations.map((destination, i) => mailboxOf(destination, states[i], records[i]));
}

export async function readMailbox(redis: Redis, keys: EngineKeys, destination: string): Promise<Mailbox> {
  const [mailbox] = await readMailboxes(redis, keys, [destination]);
  return mailbox as Mailbox;
}

function mailboxOf(
  destination: string,
  stateBytes: Buffer | null | undefined,
  recordBytes: Buffer | null | undefined,
): Mailbox {
  const record = recordBytes == null ? undefined : readRecord(recordBytes);
  if (stateBytes != null) return { destination, state: readState(stateBytes), record };
  if (record === undefined) return { destination, state: NO_STATE, record };
  const { isProven, version, revision } = record;
  return { destination, state: { ...NO_STATE, record: record.record, isProven, version, revision }, record };
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
