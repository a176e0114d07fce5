import type { Redis } from '@mailhook/platform/redis';
import type { EngineKeys } from './keys.ts';
import type { MailboxState } from './state.ts';
import { NO_STATE, readState } from './state.ts';

/** The record of a destination, as `lua/includes/records.lua` packs it into two hashes. */
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

/** The part of a record that only a request needs. */
export type Target = Pick<DestinationRecord, 'account' | 'address' | 'reason' | 'credentials'>;

export function readTarget(bytes: Buffer): Target {
  let at = 0;
  const text = (): string => {
    const start = at + 2;
    at = start + bytes.readUInt16BE(at);
    return bytes.toString('utf8', start, at);
  };
  const account = text();
  const address = text();
  const reason = text();
  return { account, address, reason, credentials: bytes.toString('utf8', at) };
}

function readRecord(bytes: Buffer, target: Buffer): DestinationRecord {
  const { account, address, reason, credentials } = readTarget(target);
  return {
    record: bytes[0] ?? 0,
    isProven: bytes[1] === 1,
    version: bytes.readUInt32BE(2),
    revision: bytes.readUInt32BE(6),
    account,
    address,
    reason,
    credentials,
  };
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
  const { isProven, version, revision } = record;
  return { ...NO_STATE, record: record.record, isProven, version, revision };
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
