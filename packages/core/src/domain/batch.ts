import type { CampaignInput, TransactionalEvent } from '../contracts/event.ts';
import { NOTIFICATION_VERSION } from '../contracts/notification.ts';
import { identityText } from './event-hash.ts';

/**
 * An event's JSON as it will be sent, made once at intake. A campaign event is cut before the value of `attempt`, its last key, and
 * starts with its hash: a body is a join of fragments, a resend another join, and no event object is ever rebuilt.
 */
export type Fragment = string;

/** Stands between fragments where several travel as one text. JSON text never contains a raw line break. */
export const FRAGMENT_SEPARATOR = '\n';

/** `{"hash":"...","event":"...",...,"attempt":` (spec, "Campaign event"). */
export const campaignFragment = (event: CampaignInput, hash: string): Fragment =>
  identityFragment(identityText(event), hash);

/** The same of an event whose identifying fields are already JSON text (see `identityText`). */
export const identityFragment = (identity: string, hash: string): Fragment =>
  `{"hash":${JSON.stringify(hash)},${identity.slice(1, -1)},"attempt":`;

/** The whole body of one notification (spec, "Notification body, mechanism A"). */
export function notificationFragment(event: TransactionalEvent): Fragment {
  const { module, name, messageId, time } = event;
  const common = { module, name, messageId, time, version: NOTIFICATION_VERSION };
  switch (event.name) {
    case 'open':
      return JSON.stringify({ ...common, ip: event.ip });
    case 'click':
      return JSON.stringify({ ...common, ip: event.ip, userAgent: event.userAgent, url: event.url });
    case 'bounce':
      return JSON.stringify({ ...common, type: event.type, reason: event.reason });
  }
}

/** The body of a delivery of mechanism B: fragments (joined by line breaks) as one array, every event with the same `attempt`. */
export function batchBody(fragments: string, attempt: number): string {
  return `[${fragments.replaceAll(FRAGMENT_SEPARATOR, `${attempt}},`)}${attempt}}]`;
}

/** The most bytes that `batchBody` adds per event: three digits of `attempt`, a brace, a comma, and a share of the brackets. */
const EVENT_EXTRA_BYTES = 6;

/** An upper bound on the bytes of a campaign request's body, at every attempt. The bounds of a batch's parts add up to the bound of the batch. */
export const bodyBytes = ({ fragments, events }: { fragments: string; events: number }): number =>
  Buffer.byteLength(fragments) - (events - 1) + events * EVENT_EXTRA_BYTES;

/** Hashes of a batch's fragments, in order. */
export const fragmentHashes = (fragments: string): string[] => fragments.split(FRAGMENT_SEPARATOR).map(fragmentHash);

const HASH_STARTS_AT = '{"hash":"'.length;

/** The hash inside a campaign fragment, found by position. */
export const fragmentHash = (fragment: Fragment): string => textAt(fragment, HASH_STARTS_AT);

/** The `messageId` inside a notification's body. */
export function fragmentMessageId(body: Fragment): string {
  const key = '"messageId":"';
  return textAt(body, body.indexOf(key) + key.length);
}

/** The JSON text whose first character (behind the quote) stands at `start`. */
function textAt(json: string, start: number): string {
  const raw = json.slice(start, json.indexOf('"', start));
  if (!raw.includes('\\')) return raw;
  // The quote found may be an escaped one: read the text as JSON does.
  const whole = /^"(?:[^"\\]|\\.)*"/.exec(json.slice(start - 1));
  return whole === null ? raw : String(JSON.parse(whole[0]));
}
