import { hash32 } from '@mailhook/core';

const BYTES = 4;

/** Event keys as one base64 text, 32 bits each: a batch of 1000 takes 5 kB. */
export function fingerprints(eventKeys: readonly string[]): string {
  const bytes = Buffer.allocUnsafe(eventKeys.length * BYTES);
  for (const [i, key] of eventKeys.entries()) bytes.writeUInt32BE(hash32(key), i * BYTES);
  return bytes.toString('base64');
}

/** Whether one of them is this key's. */
export function hasFingerprint(text: string, eventKey: string): boolean {
  const bytes = Buffer.from(text, 'base64');
  const wanted = hash32(eventKey);
  for (let at = 0; at + BYTES <= bytes.length; at += BYTES) if (bytes.readUInt32BE(at) === wanted) return true;
  return false;
}
