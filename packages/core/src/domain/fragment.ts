import type { CampaignInput, TransactionalEvent } from '../contracts/producer-event.ts';
import type { Mechanism } from '../contracts/delivery.ts';
import type { Shape } from '../contracts/shape.ts';
import { NOTIFICATION_FIELDS } from '../contracts/event-types.ts';
import { forEachName } from '../contracts/tables.ts';
import { NOTIFICATION_VERSION } from '../contracts/notification.ts';
import { identityText, ownFieldsWriter } from './event-hash.ts';

/**
 * An event's JSON as it will be sent, serialized once at intake. The fragment of a campaign event ends before the value
 * of `attempt`, its last key, and starts with its hash. So every body, also of a resend, is a join of fragments, and no
 * event is parsed or serialized again.
 */
export type Fragment = string;

/** How a fragment of version 2 begins, before its id, and what precedes its hash (`domain/version-2`). */
export const VERSION_2 = { start: '{"version":2,"id":"', hash: ',"hash":"' } as const;

export const isVersion2 = (fragment: Fragment): boolean => fragment.startsWith(VERSION_2.start);

/**
 * Whether a stored text is a notification of version 1. Its first line is its `webhook-id` (`msg_...`), which intake
 * gave it, and its second one its body.
 */
export const isNotification = (text: string): boolean => text.charAt(3) === '_';

/** The fragments of the events in a stored text. A notification of version 1 is one, with its first line. */
export const eventsIn = (text: string): string[] => (isNotification(text) ? [text] : text.split(FRAGMENT_SEPARATOR));

/** Separates the fragments of a batch in one text. `JSON.stringify` never writes a raw line break. */
export const FRAGMENT_SEPARATOR = '\n';

/** `{"hash":"...","event":"...",...,"attempt":` */
export const campaignFragment = (event: CampaignInput, hash: string): Fragment =>
  identityFragment(identityText(event), hash);

/** Like `campaignFragment`, from the JSON text of the event's identifying fields (see `identityText`). */
export const identityFragment = (identity: string, hash: string): Fragment =>
  `{"hash":${JSON.stringify(hash)},${identity.slice(1, -1)},"attempt":`;

/**
 * The whole body of one transactional notification of version 1 (docs/protocol.md).
 *
 * @throws RangeError for a type that version 1 does not have.
 */
export const notificationFragment = (event: TransactionalEvent): Fragment =>
  notificationOf(notificationHead(event), notificationOwn(event));

/** The same, from the fields that every notification has and from those of its type. */
export const notificationOf = (head: string, own: string): Fragment =>
  `{"module":"transactional_email",${head},"version":${NOTIFICATION_VERSION}${own}}`;

export const notificationHead = ({ name, messageId, time }: TransactionalEvent): string =>
  `"name":"${name}","messageId":${JSON.stringify(messageId)},"time":${time}`;

/** The fields of the type, each after a comma. @throws RangeError for a type that version 1 does not have. */
export function notificationOwn(event: TransactionalEvent): string {
  const write = ownWriters[event.name as keyof typeof ownWriters] as (typeof ownWriters)['open'] | undefined;
  if (write === undefined) throw new RangeError(`version 1 has no notification ${event.name}`);
  return write(event);
}

/** One writer per type, made once. The names of the fields are known then, so that an event costs only its values. */
const ownWriters = forEachName(NOTIFICATION_FIELDS, (name) => ownFieldsWriter(NOTIFICATION_FIELDS[name]));

/**
 * The body of a campaign request: an array of the fragments (given as one text, joined by line breaks). Every event
 * gets the same `attempt`.
 */
export function batchBody(fragments: string, attempt: number): string {
  return `[${fragments.replaceAll(FRAGMENT_SEPARATOR, `${attempt}},`)}${attempt}}]`;
}

/**
 * The body of the request that carries frozen fragments, given as one text. Those of version 1 are a notification
 * alone, or campaign events in a batch.
 */
export function requestBody(text: string, attempt: number, shape: Shape): string {
  switch (shape) {
    case 'single':
      return isNotification(text) ? text.slice(text.indexOf(FRAGMENT_SEPARATOR) + 1) : objectOf(text);
    case 'array':
      return arrayBody(text);
    case 'batch':
      return batchBody(text, attempt);
  }
}

/**
 * The events in a text of frozen fragments, as their requests carry them. Those of a batch get this `attempt`.
 *
 * @throws SyntaxError if the text is not what intake wrote.
 */
export const payloadsOf = (text: string, attempt: number, shape: Shape): Record<string, unknown>[] =>
  eventsIn(text).flatMap(
    (event) =>
      JSON.parse(requestBody(event, attempt, shape)) as Record<string, unknown> | readonly Record<string, unknown>[],
  );

/**
 * The most bytes that `batchBody` adds per event: three digits of `attempt`, a brace, a comma, and a share of the
 * brackets.
 */
const EVENT_EXTRA_BYTES = 6;

/**
 * An upper bound of the bytes of a campaign request's body, at every attempt. The bounds of a batch's parts add up to
 * the bound of the batch.
 */
export const bodyBytes = ({ fragments, events }: { fragments: string; events: number }): number =>
  Buffer.byteLength(fragments) - (events - 1) + events * EVENT_EXTRA_BYTES;

/** What names an event to its customer, as requests carry it: its id, or in version 1 its hash or its message. */
export const keyOfPayload = (payload: Readonly<Record<string, unknown>>): string =>
  (payload[payload['version'] === 2 ? 'id' : 'hash' in payload ? 'hash' : 'messageId'] ?? '') as string;

/** The hashes of a batch's events, in order. */
export const fragmentHashes = (fragments: string): string[] => fragments.split(FRAGMENT_SEPARATOR).map(fragmentHash);

const HASH_STARTS_AT = '{"hash":"'.length;

/** The hash inside a fragment that a batch may carry, found by position. */
export const fragmentHash = (fragment: Fragment): string =>
  textAt(
    fragment,
    isVersion2(fragment) ? fragment.lastIndexOf(VERSION_2.hash) + VERSION_2.hash.length : HASH_STARTS_AT,
  );

/** The id inside a fragment of version 2. */
export const fragmentId = (fragment: Fragment): string => textAt(fragment, VERSION_2.start.length);

/**
 * What names an event in the outcomes of the event log, as JSON writes it: the id of version 2, the hash of version 1,
 * or of a notification of version 1 the stem of its `webhook-id`. A stem is the same at all destinations.
 */
export function eventKeyText(fragment: Fragment): string {
  if (isNotification(fragment)) return /^[a-z]+_[^_\n]+_[^_\n]+/.exec(fragment)?.[0] ?? '';
  const { from, to } = eventKeyPlace(fragment, 0);
  return fragment.slice(from, to);
}

/** Where this text stands, for the fragment that starts at a place of a text and is no notification of version 1. */
export function eventKeyPlace(text: string, at: number): { readonly from: number; readonly to: number } {
  const isSecond = text.charAt(at + 2) === VERSION_2.start.charAt(2);
  const from = at + (isSecond ? VERSION_2.start.length : HASH_STARTS_AT);
  const quote = text.indexOf('"', from);
  // Almost no text has quotes or backslashes, and one character is found much faster than several.
  const isEnd = text.charAt(quote - 1) !== '\\';
  return { from, to: isEnd ? quote : text.indexOf(isSecond ? '","module":"' : '","event":"', from) };
}

/** The object of version 2 that a fragment stands for, where no acknowledgement is wanted: without hash and attempt. */
export const objectOf = (fragment: Fragment): string => `${fragment.slice(0, fragment.lastIndexOf(VERSION_2.hash))}}`;

/** The body of a request of the shape array: its fragments of version 2, given as one text, as objects. */
export const arrayBody = (fragments: string): string =>
  `[${fragments.split(FRAGMENT_SEPARATOR).map(objectOf).join(',')}]`;

/** The `messageId` of an event, '' without one. */
export const fragmentMessageId = (fragment: Fragment): string => fieldOf(fragment, 'messageId');

/** The type of a campaign event, or of a transactional one. */
export const fragmentType = (fragment: Fragment, kind: Mechanism): string =>
  textAfter(fragment, kind === 'campaign' || isVersion2(fragment) ? '"event":"' : '"name":"');

/** The recipient of an event, '' for one of version 1 that names none. */
export const fragmentEmail = (fragment: Fragment): string => fieldOf(fragment, 'email');

/** The start of an event of version 2, up to the two names. Later, a field with such a name may be in `metadata`. */
const NAMES_OF_VERSION_2 =
  /,"time":\d+(?:,"email":(?<email>"(?:[^"\\]|\\.)*"))?(?:,"messageId":(?<messageId>"(?:[^"\\]|\\.)*"))?/;

function fieldOf(fragment: Fragment, name: 'email' | 'messageId'): string {
  if (!isVersion2(fragment)) return textAfter(fragment, `"${name}":"`);
  const found = NAMES_OF_VERSION_2.exec(fragment)?.groups?.[name];
  return found === undefined ? '' : (JSON.parse(found) as string);
}

/**
 * `key` ends with a quote that is not escaped, so no text inside the fragment contains it. Empty without the key: a
 * message to the platform has none.
 */
const textAfter = (fragment: Fragment, key: string): string => {
  const at = fragment.indexOf(key);
  return at === -1 ? '' : textAt(fragment, at + key.length);
};

/** The value of the JSON string that has its first character, after the opening quote, at `start`. */
export function textAt(json: string, start: number): string {
  const raw = json.slice(start, json.indexOf('"', start));
  if (!raw.includes('\\')) return raw;
  // The quote that was found may be escaped, so match the whole JSON string.
  const whole = /^"(?:[^"\\]|\\.)*"/.exec(json.slice(start - 1));
  return whole === null ? raw : String(JSON.parse(whole[0]));
}
