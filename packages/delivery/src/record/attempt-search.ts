import { emailKey, hash32 } from '@mailhook/core';
import { hasFingerprint, readFingerprints } from '../mailbox/fingerprints.ts';
import { keysIn } from './attempt-row.ts';
import type { AttemptRow as Row } from './attempt-row.ts';

/** What an event is searched by: one of its names, the `webhook-id` of a request that carried it, or its recipient. */
export type EventSearch =
  | { readonly id: string }
  | { readonly hash: string }
  | { readonly messageId: string }
  | { readonly webhookId: string }
  | { readonly email: string };

/** `eventKey`: what names an event in requests (`keyOfPayload`), at one destination. */
export type AttemptSearch = EventSearch | { readonly eventKey: string; readonly destination: string };

/** The name of the wanted event, and the row's fingerprints of such names. */
function placeOf(
  row: Row,
  wanted: Exclude<AttemptSearch, { readonly webhookId: string }>,
): readonly [name: string, list: string | undefined] {
  if ('email' in wanted) return [emailKey(wanted.email), row.emails];
  if ('eventKey' in wanted) return [wanted.eventKey, row.destination === wanted.destination ? keysIn(row) : undefined];
  const keys = keysIn(row);
  const { messageIds, hashes = keys } = row;
  if ('id' in wanted) return [wanted.id, messageIds && keys];
  if ('hash' in wanted) return [wanted.hash, messageIds !== undefined || row.kind === 'campaign' ? hashes : undefined];
  return [wanted.messageId, messageIds ?? (row.kind === 'transactional' ? keys : undefined)];
}

/** A request with a part of a batch has the batch's id and the positions of its events. */
export const isOrPartOf = (webhookId: string | undefined, wanted: string): boolean =>
  webhookId === wanted || webhookId?.startsWith(`${wanted}-`) === true;

/**
 * The wanted events of a row, by the fingerprints of their keys. After a search by `webhook-id`, they are one, with the
 * fingerprint of that. `isConfirmed`: whether the receiver acknowledged the event in a request that failed in part.
 */
export function wantedIn(
  row: Row,
  wanted: AttemptSearch,
): readonly { readonly key: number; readonly isConfirmed: boolean }[] {
  if ('webhookId' in wanted) {
    return isOrPartOf(row.webhookId, wanted.webhookId) ? [{ key: hash32(wanted.webhookId), isConfirmed: false }] : [];
  }
  const [name, list] = placeOf(row, wanted);
  // An empty fingerprint stands for an event without such a name.
  if (name === '' || list === undefined || !hasFingerprint(list, name)) return [];
  const fingerprint = hash32(name);
  const names = readFingerprints(list);
  const unconfirmed = row.unconfirmed === undefined ? undefined : readFingerprints(row.unconfirmed);
  return [...readFingerprints(keysIn(row))]
    .filter((_key, position) => names[position] === fingerprint)
    .map((key) => ({ key, isConfirmed: unconfirmed?.includes(key) === false }));
}
