import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Mechanism } from '@mailhook/core';

/** A request that a receiver must get, byte by byte. */
export interface ExpectedRequest {
  readonly webhookId: string;
  readonly attempt: number;
  readonly body: string;
}

/**
 * - waiting: events in a mailbox that no worker has claimed
 * - frozen: a batch that was in flight when its worker was killed, and events behind it
 * - due, later: a resend that is due, or not for an hour
 * - parked, paused: a destination with events
 * - dead-batch, dead-waiting: dead letters
 * - chunk: events in a chunk job
 */
export type State =
  'waiting' | 'frozen' | 'due' | 'later' | 'parked' | 'paused' | 'dead-batch' | 'dead-waiting' | 'chunk';

/** One destination and everything that its receiver must still get. */
export interface ExpectedMailbox {
  readonly kind: Mechanism;
  readonly state: State;
  readonly destination: string;
  /** Where its receiver listens at the snapshot's address. */
  readonly path: string;
  /** Requests that were sent before and must be repeated with their events, their `webhook-id` and the next attempt. */
  readonly repeated: readonly ExpectedRequest[];
  /** Notifications never sent, in order. */
  readonly notifications: readonly ExpectedRequest[];
  /** Campaign events never sent, in order per lane, each without the value of `attempt`. They may share requests in any way. */
  readonly fragments: { readonly fresh: readonly string[]; readonly unsubscribes: readonly string[] };
  /** Dead letters: numbers of events and attempts. Their events are in the lists above. */
  readonly deadLetters: readonly { readonly events: number; readonly attempts: number }[];
}

/** The state that an earlier version left in Redis, and the requests that today's version must send. */
export interface Snapshot {
  readonly version: string;
  readonly commit: string;
  /** The time of Redis, Unix milliseconds. */
  readonly madeAtMs: number;
  readonly queuePrefix: string;
  readonly host: string;
  readonly port: number;
  readonly mailboxes: readonly ExpectedMailbox[];
}

export const SNAPSHOTS = path.resolve('test/engine/older-versions/snapshots');

/** Names of the snapshots. Each consists of `<name>.json` and `<name>.rdb`. */
export const snapshotNames = (): string[] =>
  readdirSync(SNAPSHOTS)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length));

export const readSnapshot = (name: string): Snapshot =>
  JSON.parse(readFileSync(path.join(SNAPSHOTS, `${name}.json`), 'utf8')) as Snapshot;

/** A campaign request's body: these fragments, all with one attempt. */
export const bodyOf = (fragments: readonly string[], attempt: number): string =>
  `[${fragments.map((fragment) => `${fragment}${attempt}}`).join(',')}]`;

/** The fragments of a body that `bodyOf` made. */
export function fragmentsOf(body: string, attempt: number): string[] {
  const end = `"attempt":${attempt}}`;
  return body
    .slice(1, -1)
    .split(`${end},`)
    .map((event) => (event.endsWith(end) ? event.slice(0, -end.length) : event) + '"attempt":');
}
