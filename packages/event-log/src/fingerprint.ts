import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** 64 bits of a text, as two numbers of 32 bits. Equal texts have equal fingerprints under the same seed. */
export interface Fingerprint {
  readonly high: number;
  readonly low: number;
}

/** Two starting values that only those know who know the log's key. */
type Seed = Fingerprint;

/**
 * Hashes a text quickly, about 1 ns per character: each event of a segment has up to three. A person who knows the seed
 * can make two texts with one hash.
 */
function fingerprint(text: string, { high, low }: Seed): Fingerprint {
  let a = 0xdeadbeef ^ high;
  let b = 0x41c6ce57 ^ low;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x9e3779b1);
    b = Math.imul(b ^ unit, 0x5f356495);
    a ^= a >>> 15;
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return { high: a >>> 0, low: b >>> 0 };
}

export const hexOf = ({ high, low }: Fingerprint): string =>
  high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');

/** Keyed hashes of one log. Its objects name no account and no recipient otherwise. */
export interface LogHash {
  /** The keyed hash of an account. Rows and names of objects have it. */
  readonly ofAccount: (account: string) => bigint;
  /** The fingerprint of a value of a field, for filters and erasures. */
  readonly ofValue: (field: KeyField, value: string) => Fingerprint;
}

/** The fields that have a filter. */
export const KEY_FIELDS = ['id', 'messageId', 'email'] as const;
export type KeyField = (typeof KEY_FIELDS)[number];

/** Accounts whose hash is kept: a small block costs little more than the hash of its account. */
const KNOWN_ACCOUNTS = 20_000;

/** @param key a secret of the installation that does not change while the log has segments. */
export function createLogHash(key: string): LogHash {
  const digest = (purpose: string, text: string) => createHmac('sha256', key).update(`${purpose} ${text}`).digest();
  const seedOf = (field: KeyField): Seed => {
    const seed = digest('field', field);
    return { high: seed.readUInt32LE(0), low: seed.readUInt32LE(4) };
  };
  const seeds = { id: seedOf('id'), messageId: seedOf('messageId'), email: seedOf('email') };
  const accounts = new LRUCache<string, bigint>({ max: KNOWN_ACCOUNTS });
  return {
    ofAccount(account) {
      const known = accounts.get(account) ?? digest('account', account).readBigUInt64BE(0);
      accounts.set(account, known);
      return known;
    },
    ofValue: (field, value) => fingerprint(value, seeds[field]),
  };
}
