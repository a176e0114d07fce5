import { randomBytes } from 'node:crypto';
import type { Store, StoredAccount } from '@mailhook/core';
import type { BlockKey, BlockKeys } from '@mailhook/event-log';
import { logKeyField, SealedError } from '@mailhook/platform/sealing';
import type { Sealing } from '@mailhook/platform/sealing';
import { LRUCache } from 'lru-cache';

const KEY_BYTES = 32;
/** The longest retention is 30 days, so blocks of the month before the last one are gone. */
const MONTHS_KEPT = 2;
const CACHED_MAX = 50_000;
/** How long another api may still read blocks of a deleted account, which erasures hide from it anyway. */
const CACHED_MS = 60_000;

interface BlockKeysOptions {
  readonly store: Pick<Store, 'load' | 'save'>;
  readonly sealing: Sealing;
  readonly nowMs?: () => number;
  /** A new key is of the month of this clock, and older keys go by it. Default: `nowMs`. */
  readonly clockMs?: () => Promise<number>;
}

interface OpenedKey {
  readonly month: number;
  readonly key: Buffer | 'unreadable';
}

/** The keys of the event log's blocks: one per account and month, sealed in the record of the account. */
export function createBlockKeys(options: BlockKeysOptions): BlockKeys {
  const { store, sealing, nowMs = Date.now } = options;
  const { clockMs = () => Promise.resolve(nowMs()) } = options;
  const cache = new LRUCache<string, readonly OpenedKey[]>({ max: CACHED_MAX, ttl: CACHED_MS });
  const keysOf = (account: StoredAccount): readonly OpenedKey[] => {
    const keys = account.logKeys.map(({ month, key }) => ({ month, key: openKey(sealing, account.id, month, key) }));
    cache.set(account.id, keys);
    return keys;
  };
  return {
    async current(id) {
      let month = monthOf(nowMs());
      const isOfMonth = (one: { readonly month: number }): boolean => one.month === month;
      for (let keys = cache.get(id); ; keys = undefined) {
        const cached = keys?.find(isOfMonth);
        if (cached !== undefined) return usable(cached);
        const account = await store.load(id);
        if (account === undefined) return undefined;
        const opened = keysOf(account);
        let known = opened.find(isOfMonth);
        if (known === undefined) {
          month = monthOf(await clockMs());
          known = opened.find(isOfMonth);
        }
        if (known !== undefined) return usable(known);
        await store.save(withKey(account, month, sealing));
      }
    },
    async ofMonth(id, month) {
      const isOfMonth = (one: { readonly month: number }): boolean => one.month === month;
      const cached = cache.get(id)?.find(isOfMonth);
      if (cached !== undefined) return cached.key;
      const account = await store.load(id);
      return account && keysOf(account).find(isOfMonth)?.key;
    },
  };
}

const usable = ({ month, key }: OpenedKey): BlockKey | 'unreadable' => (key === 'unreadable' ? key : { month, key });

function openKey(sealing: Sealing, account: string, month: number, stored: string): OpenedKey['key'] {
  try {
    return Buffer.from(sealing.open(stored, { account, field: logKeyField(month) }), 'base64url');
  } catch (error) {
    if (!(error instanceof SealedError)) throw error;
    return 'unreadable';
  }
}

/** If another api makes a key at the same time, one of the two saves fails. */
function withKey(account: StoredAccount, month: number, sealing: Sealing): StoredAccount {
  const key = sealing.seal(randomBytes(KEY_BYTES).toString('base64url'), {
    account: account.id,
    field: logKeyField(month),
  });
  const kept = account.logKeys.filter((one) => one.month >= month - MONTHS_KEPT);
  return { ...account, logKeys: [...kept, { month, key }] };
}

function monthOf(ms: number): number {
  const date = new Date(ms);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}
