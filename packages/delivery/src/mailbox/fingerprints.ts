import { hash32 } from '@mailhook/core';

/** Fingerprints of event keys, 32 bits each, as one base64 string. Those of a batch with 1,000 events take 5 kB. */
export function fingerprints(eventKeys: readonly string[]): string {
  const words = new Uint32Array(eventKeys.length);
  for (let i = 0; i < words.length; i += 1) words[i] = hash32(eventKeys[i] ?? '');
  return Buffer.from(words.buffer).toString('base64');
}

/** The fingerprints in their order, as numbers like those of `hash32`. */
export const readFingerprints = (text: string): Uint32Array =>
  // A copy, because `Uint32Array` needs aligned memory.
  new Uint32Array(Uint8Array.from(Buffer.from(text, 'base64')).buffer);

/** Whether one of the fingerprints belongs to this key. */
export const hasFingerprint = (text: string, eventKey: string): boolean =>
  readFingerprints(text).includes(hash32(eventKey));
