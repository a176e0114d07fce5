import { createHash } from 'node:crypto';
import { emailKey } from '@mailhook/core';
import type { EventModule } from '@mailhook/core';
import type { EntryPosition, LoggedEvent, LogItem, OutcomeResult } from './entry.ts';
import { fieldsOf } from './event-fields.ts';
import { KEY_FIELDS } from './fingerprint.ts';
import type { Fingerprint, KeyField, LogHash } from './fingerprint.ts';

/** Which events of an account. All that is given must hold. */
export interface LogQuery {
  readonly account: string;
  /** Accepted at this time or later. */
  readonly fromMs?: number | undefined;
  /** Accepted before this time. */
  readonly toMs?: number | undefined;
  readonly module?: EventModule | undefined;
  readonly types?: readonly string[] | undefined;
  /** The producer's id, or the id or hash that Mailhook derived, which only reading finds. */
  readonly id?: string | undefined;
  readonly messageId?: string | undefined;
  /** Case does not count. */
  readonly email?: string | undefined;
  readonly campaign?: string | undefined;
  /** Spread to this destination, or sent there by a replay. */
  readonly destination?: string | undefined;
  /** At the destination if one is given, else at any. `none`: without destinations. */
  readonly outcome?: OutcomeResult | 'none' | undefined;
  /** What a replay to a destination takes: dead or discarded there, or neither spread nor replayed to it. */
  readonly missedBy?: { readonly destination: string; readonly how: 'undelivered' | 'unmatched' } | undefined;
}

/** What the index of a segment can decide about a query. */
export interface IndexedQuery {
  readonly fields: readonly { readonly field: KeyField; readonly key: Fingerprint }[];
  /** Whether a type in the index (`typeLabel`) is wanted. Undefined: all are. */
  readonly isWantedType: ((label: string) => boolean) | undefined;
}

export const indexedQuery = (query: LogQuery, hash: LogHash): IndexedQuery => ({
  isWantedType: typeMatcher(query),
  fields: KEY_FIELDS.flatMap((field) => {
    const value = wantedValue(query, field);
    return value === undefined ? [] : [{ field, key: hash.ofValue(field, value) }];
  }),
});

/** Whether a type in the index (`typeLabel`) is wanted. Undefined: all are. */
export function typeMatcher({ module, types }: LogQuery): ((label: string) => boolean) | undefined {
  if (module === undefined && types === undefined) return undefined;
  return (label) => {
    const [ofModule, type = ''] = label.split(' ');
    return (module === undefined || module === ofModule) && (types === undefined || types.includes(type));
  };
}

/** Whether module, types and times are all that a query asks for, so that the index may decide about whole blocks. */
export const asksIndexOnly = (query: LogQuery): boolean =>
  query.campaign === undefined && !readsOutcomes(query) && KEY_FIELDS.every((field) => query[field] === undefined);

const wantedValue = (query: LogQuery, field: KeyField): string | undefined =>
  field === 'email' && query.email !== undefined ? emailKey(query.email) : query[field];

/** Whether an event is wanted, as far as the event itself decides. */
export function eventMatcher(query: LogQuery): (event: LoggedEvent) => boolean {
  const { account, fromMs = -Infinity, toMs = Infinity, module, types, campaign } = query;
  const wanted = KEY_FIELDS.flatMap((field) => {
    const value = wantedValue(query, field);
    return value === undefined ? [] : [{ field, value }];
  });
  // Most events do not contain the wanted text at all, and parsing all of them would take long.
  const needles = wanted.map(({ field, value }) => ({
    isLowerCase: field === 'email',
    text: JSON.stringify(value).slice(1, -1),
  }));
  const readsFields = wanted.length > 0 || module !== undefined || types !== undefined || campaign !== undefined;
  return (event) => {
    if (event.account !== account || event.acceptedAtMs < fromMs || event.acceptedAtMs >= toMs) return false;
    if (!readsFields) return true;
    for (const { isLowerCase, text } of needles)
      if (!(isLowerCase ? event.fields.toLowerCase() : event.fields).includes(text)) return false;
    const fields = fieldsOf(event);
    return (
      wanted.every(({ field, value }) => value !== '' && fields[field] === value) &&
      (module === undefined || fields.module === module) &&
      (types === undefined || types.includes(fields.type)) &&
      (campaign === undefined || fields.campaign === campaign)
    );
  };
}

/** Whether `itemMatcher` would judge the outcomes of events at all. */
export const readsOutcomes = ({ destination, outcome, missedBy }: LogQuery): boolean =>
  destination !== undefined || outcome !== undefined || missedBy !== undefined;

/** Whether an event is wanted, as far as its destinations and outcomes decide. */
export const itemMatcher =
  ({ destination, outcome, missedBy }: LogQuery) =>
  ({ outcomes }: LogItem): boolean => {
    if (missedBy !== undefined) {
      const there = outcomes.find((one) => one.destination === missedBy.destination);
      const isTaken =
        missedBy.how === 'unmatched'
          ? there === undefined
          : there !== undefined && (there.result === 'dead' || there.result === 'discarded');
      if (!isTaken) return false;
    }
    const there = destination === undefined ? outcomes : outcomes.filter((one) => one.destination === destination);
    if (outcome === 'none') return there.length === 0;
    if (destination !== undefined && there.length === 0) return false;
    return outcome === undefined || there.some(({ result }) => result === outcome);
  };

/** A digest of what a query asks, so that a cursor goes with its own filters only. */
function digestOf(query: LogQuery): string {
  const { missedBy, ...flat } = query;
  const given = Object.entries({ ...flat, missedBy: missedBy && [missedBy.destination, missedBy.how] });
  const sorted = given.filter(([, value]) => value !== undefined).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('base64url').slice(0, 11);
}

const CURSOR = /^(?<at>\d{1,15})\.(?<n>\d{1,9})\.(?<chunk>[A-Za-z0-9-]*)\.(?<digest>[\w-]{11})$/;

/** An opaque text for the position that a search came to. */
export const writeCursor = (query: LogQuery, { acceptedAtMs, chunk, n }: EntryPosition): string =>
  Buffer.from(`${acceptedAtMs}.${n}.${chunk}.${digestOf(query)}`).toString('base64url');

/** @throws RangeError for a text that `writeCursor` did not write, or for another query. */
export function readCursor(query: LogQuery, cursor: string): EntryPosition {
  const { at, n, chunk, digest } = CURSOR.exec(Buffer.from(cursor, 'base64url').toString())?.groups ?? {};
  if (chunk === undefined || digest !== digestOf(query))
    throw new RangeError('the cursor is not one of a search with these filters');
  return { acceptedAtMs: Number(at), chunk, n: Number(n) };
}
