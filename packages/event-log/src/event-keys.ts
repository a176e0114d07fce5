import { createHash } from 'node:crypto';
import {
  derivedHash,
  fragmentHash,
  fragmentId,
  identityText,
  isVersion1,
  typeOfEvent,
  version2Fragment,
} from '@mailhook/core';
import type { Digest, ProducerEvent } from '@mailhook/core';
import type { EntryPosition, LoggedEvent } from './entry.ts';
import { eventOf } from './event-fields.ts';
import type { Fingerprint } from './fingerprint.ts';

const KEY_BYTES = 8;

/** The 8 bytes that stand for an event in an outcome: of a hash, an id, or the stem of a notification's `webhook-id`. */
export const outcomeKey = (text: string): Buffer => createHash('sha1').update(text).digest().subarray(0, KEY_BYTES);

/** The stem of the `webhook-id` of a notification of version 1. */
export const notificationStem = ({ chunk, n }: Pick<EntryPosition, 'chunk' | 'n'>): string =>
  `msg_${chunk}_${n.toString(36)}`;

const digest: Digest = (text) => createHash('sha256').update(text).digest('base64url');

/**
 * The texts that may name an event in outcomes: what its body had there depends on version and shape. The hash of
 * version 1, or the stem of a notification; the id and the hash of version 2.
 */
function keyTexts(event: ProducerEvent, position: EntryPosition): ReadonlySet<string> {
  const fragment = version2Fragment(event, digest);
  const texts = new Set([fragmentId(fragment), fragmentHash(fragment)]);
  if (!isVersion1(event.module, typeOfEvent(event))) return texts;
  if (event.module === 'campaign') return texts.add(event.hash ?? derivedHash(identityText(event), digest));
  return texts.add(notificationStem(position));
}

/** The keys of an event in outcomes, in hexadecimal digits. */
export const outcomeKeysOf = (event: LoggedEvent): string[] =>
  [...keyTexts(eventOf(event), event)].map((text) => outcomeKey(text).toString('hex'));

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
