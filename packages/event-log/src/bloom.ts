import type { Fingerprint } from './fingerprint.ts';

/**
 * About one of 5,700 values that are not in a filter seems to be: 10,000,000 events of an account are 11,500 blocks, of
 * which a search reads few. With half the bits, it would read 150.
 */
export const EVENT_KEY_BITS = 18;
/** About one of 15,000: a page asks each later block for its 50 events, with up to three keys each. */
export const OUTCOME_KEY_BITS = 20;

const probesOf = (bitsPerKey: number): number => Math.round(bitsPerKey * Math.LN2);

/*
 * The bits of a key follow from its two halves by double hashing with a growing step. Both functions have the same
 * loop, because each event of a segment goes through it up to 50 times.
 */

/** Each of the keys once. */
export function distinct(keys: readonly Fingerprint[]): Fingerprint[] {
  // Twice as many slots as keys, with the number of a key each. A `Map` of texts would take most of the time.
  const mask = 2 ** (33 - Math.clz32(keys.length)) - 1;
  const slots = new Int32Array(mask + 1);
  return keys.filter(({ high, low }, i) => {
    for (let at = low & mask; ; at = (at + 1) & mask) {
      const other = keys[(slots[at] as number) - 1];
      if (other?.high === high && other.low === low) return false;
      if (other !== undefined) continue;
      slots[at] = i + 1;
      return true;
    }
  });
}

/** A Bloom filter of the keys. Without keys it has no bytes and holds nothing. */
export function bloomFilter(keys: readonly Fingerprint[], bitsPerKey: number): Buffer {
  const filter = Buffer.alloc(Math.ceil((keys.length * bitsPerKey) / 8));
  const bits = 8 * filter.length;
  const probes = probesOf(bitsPerKey);
  for (const { high, low } of keys)
    for (let i = 0, at = high; i < probes; i += 1, at = (at + low + i * i) >>> 0) {
      const bit = at % bits;
      filter[bit >>> 3] = (filter[bit >>> 3] as number) | (1 << (bit & 7));
    }
  return filter;
}

/** Whether the filter may hold the key. Never false for a key that it was made of. */
export function mayHold(filter: Buffer, { high, low }: Fingerprint, bitsPerKey: number): boolean {
  const bits = 8 * filter.length;
  if (bits === 0) return false;
  const probes = probesOf(bitsPerKey);
  for (let i = 0, at = high; i < probes; i += 1, at = (at + low + i * i) >>> 0) {
    const bit = at % bits;
    if (((filter[bit >>> 3] as number) & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}
