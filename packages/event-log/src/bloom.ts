import type { Fingerprint } from './fingerprint.ts';

/** About one of 75 values that are not in a filter seems to be. */
export const EVENT_KEY_BITS = 9;
/** About one of 15,000: a page asks each later block for its 50 events, with up to three keys each. */
export const OUTCOME_KEY_BITS = 20;

const probesOf = (bitsPerKey: number): number => Math.round(bitsPerKey * Math.LN2);

/** The bits of a key, by double hashing with a growing step. */
function* bitsOf({ high, low }: Fingerprint, bits: number, bitsPerKey: number): Generator<number> {
  let at = high;
  for (let i = 0; i < probesOf(bitsPerKey); i += 1) {
    yield at % bits;
    at = (at + low + i * i) >>> 0;
  }
}

/** A Bloom filter of the keys. Without keys it has no bytes and holds nothing. */
export function bloomFilter(keys: readonly Fingerprint[], bitsPerKey: number): Buffer {
  const filter = Buffer.alloc(Math.ceil((keys.length * bitsPerKey) / 8));
  for (const key of keys)
    for (const bit of bitsOf(key, 8 * filter.length, bitsPerKey))
      filter[bit >>> 3] = (filter[bit >>> 3] as number) | (1 << (bit & 7));
  return filter;
}

/** Whether the filter may hold the key. Never false for a key that it was made of. */
export function mayHold(filter: Buffer, key: Fingerprint, bitsPerKey: number): boolean {
  if (filter.length === 0) return false;
  for (const bit of bitsOf(key, 8 * filter.length, bitsPerKey))
    if (((filter[bit >>> 3] as number) & (1 << (bit & 7))) === 0) return false;
  return true;
}
