import type { DeliveryAttempt } from '@mailhook/core';
import { hash32 } from '@mailhook/core';
import { emailKey } from '@mailhook/delivery';
import type { AttemptRow as Row } from '@mailhook/delivery';
import { hasFingerprint, readFingerprints } from '@mailhook/delivery/mailbox';

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
  if ('eventKey' in wanted) return [wanted.eventKey, row.destination === wanted.destination ? row.keys : undefined];
  const { keys, messageIds, hashes = keys } = row;
  if ('id' in wanted) return [wanted.id, messageIds && keys];
  if ('hash' in wanted) return [wanted.hash, messageIds !== undefined || row.kind === 'campaign' ? hashes : undefined];
  return [wanted.messageId, messageIds ?? (row.kind === 'transactional' ? keys : undefined)];
}

/** A part of the text of each row that a search can find. */
export const textsOf = (wanted: AttemptSearch): string[] =>
  'webhookId' in wanted
    ? [JSON.stringify(wanted.webhookId).slice(1, -1)]
    : 'eventKey' in wanted
      ? [`"destination":${JSON.stringify(wanted.destination)}`]
      : [];

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
  return [...readFingerprints(row.keys)]
    .filter((_key, position) => names[position] === fingerprint)
    .map((key) => ({ key, isConfirmed: unconfirmed?.includes(key) === false }));
}

/** An event that attempts carried, with the newest of them at one destination. */
export interface TriedEvent {
  /** `hash32` of the key that names the event. After a search by `webhook-id`, of that. */
  readonly fingerprint: number;
  /** What is known of the event. Of an attempt that delivered many, the keys are not kept. */
  readonly name: { readonly id?: string; readonly hash?: string };
  /** Counts as delivered if it delivered this event. */
  readonly newest: DeliveryAttempt;
}

/** The name of the event with this fingerprint, as its requests and a search by recipient show it. */
export function nameIn(
  { kind, facts, messageIds }: Row,
  fingerprint: number,
  wanted: AttemptSearch,
): TriedEvent['name'] {
  const key = facts?.eventKeys.find((one) => hash32(one) === fingerprint);
  if (key === undefined) return {};
  if (messageIds !== undefined) return { id: key };
  return 'email' in wanted && kind === 'campaign' ? { hash: key } : {};
}
