import { hash } from 'node:crypto';
import {
  DERIVED_HASH_CHARS,
  derivedHash,
  eventId,
  eventKey,
  eventOfFields,
  identityText,
  isVersion1,
  typeOfEvent,
} from '@mailhook/core';
import type { Digest, ProducerEvent } from '@mailhook/core';
import type { EntryPosition, LoggedEvent } from './entry.ts';
import { hexOf } from './fingerprint.ts';
import type { Fingerprint } from './fingerprint.ts';

const KEY_BYTES = 8;

/**
 * The 8 bytes that stand for an event in an outcome: of the `id` of version 2, else of the `hash` of version 1, else of
 * the stem of a notification's `webhook-id` (`notificationStem`).
 */
export const outcomeKey = (text: string): Buffer => Buffer.from(keyOf(text), 'hex');

const keyOf = (text: string): string => hexOf(eventKey(text));

/** The stem of the `webhook-id` of a notification of version 1. */
export const notificationStem = ({ chunk, n }: Pick<EntryPosition, 'chunk' | 'n'>): string =>
  `msg_${chunk}_${n.toString(36)}`;

const digest: Digest = (text) => hash('sha256', text, 'base64url');

/**
 * The texts that may name an event in outcomes (`eventKeyText` in core), the cheapest first: the hash of version 1, or
 * the stem of a notification, and the id of version 2.
 */
function* keyTexts(event: ProducerEvent, position: EntryPosition): Generator<string> {
  if (event.id !== undefined) yield asInJson(event.id);
  if (isVersion1(event.module, typeOfEvent(event))) {
    if (event.module === 'campaign') yield asInJson(event.hash ?? derivedHash(identityText(event), digest));
    else yield notificationStem(position);
  }
  if (event.id === undefined) yield eventId(event, digest);
}

/** Whether a text may be a hash or an id that Mailhook made. */
export const isDerivedName = (text: string | undefined): text is string =>
  text?.length === DERIVED_HASH_CHARS && /^[\w-]+$/.test(text);

/** What names an event in bodies, besides its producer's id: the derived id, and the hash of version 1. */
export function derivedNames(logged: LoggedEvent): string[] {
  const event = eventOfFields(logged);
  const names = event.id === undefined ? [eventId(event, digest)] : [];
  if (event.module === 'campaign' && isVersion1(event.module, event.event))
    names.push(event.hash ?? derivedHash(identityText(event), digest));
  return names;
}

/** Workers take the text out of a body without parsing it. */
const asInJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** The keys of an event in outcomes, in hexadecimal digits, each once. */
export function* outcomeKeysOf(event: LoggedEvent): Generator<string> {
  const texts = new Set<string>();
  for (const text of keyTexts(eventOfFields(event), event)) {
    if (texts.has(text)) continue;
    texts.add(text);
    yield keyOf(text);
  }
}

/** The keys of an outcome's events, in hexadecimal digits. */
export function* keysIn(keys: Uint8Array): Generator<string> {
  const bytes = Buffer.from(keys.buffer, keys.byteOffset, keys.byteLength);
  for (let at = 0; at + KEY_BYTES <= bytes.length; at += KEY_BYTES) yield bytes.toString('hex', at, at + KEY_BYTES);
}

/** The keys of an outcome's events, for its filter: they are digests already. */
export function keyFingerprints(keys: Uint8Array): Fingerprint[] {
  const view = new DataView(keys.buffer, keys.byteOffset, keys.byteLength);
  return Array.from({ length: keys.length / KEY_BYTES }, (_, i) => ({
    high: view.getUint32(KEY_BYTES * i),
    low: view.getUint32(KEY_BYTES * i + 4),
  }));
}
