import { publicIdOf } from '@mailhook/core';
import type { CustomerServices, Store } from '@mailhook/core';
import type { AttemptLog } from '@mailhook/insight';

interface SecretUsesDeps {
  readonly store: Pick<Store, 'load'>;
  readonly attempts: Pick<AttemptLog, 'list'>;
}

/** Newest attempts that are looked at. The page says so. */
const ATTEMPTS = 200;

/**
 * When each secret signed a request for the last time: derived from the newest attempts, because a note of each use
 * would be a write per request.
 */
export const createSecretUses =
  ({ store, attempts }: SecretUsesDeps): CustomerServices['secretUses'] =>
  async (account) => {
    const stored = await store.load(account);
    const uses = new Map<string, string>();
    if (stored === undefined) return uses;
    const { items } = await attempts.list(account, { limit: ATTEMPTS });
    for (const { time, destination, address } of items) {
      const found = stored.destinations.find(({ id, settings }) =>
        destination === undefined ? settings.address === address : publicIdOf(account, id) === destination,
      );
      const own = found?.secrets ?? [];
      for (const { id, createdAt, endsAt } of own.length === 0 ? stored.secrets : own)
        if (!uses.has(id) && createdAt <= time && (endsAt === null || time < endsAt)) uses.set(id, time);
    }
    return uses;
  };
