import { hash32 } from '@mailhook/core';

/** Event keys as one base64 text, 32 bits each: a batch of 1000 takes 5 kB. */
export function fingerprints(eventKeys: readonly string[]): string {
  const words = new Uint32Array(eventKeys.length);
  for (let i = 0; i < words.length; i += 1) words[i] = hash32(eventKeys[i] ?? '');
  return Buffer.from(words.buffer).toString('base64');
}

/** Whether one of them is this key's. */
export function hasFingerprint(text: string, eventKey: string): boolean {
  // Copied, so that it is aligned.
  const words = new Uint32Array(Uint8Array.from(Buffer.from(text, 'base64')).buffer);
  return words.includes(hash32(eventKey));
}
