import { randomUUID } from 'node:crypto';
import type { Store } from '@mailhook/core';
import type { Logger } from '@mailhook/platform/logger';
import type { Closeable } from '@mailhook/platform/lifecycle';
import type { Redis } from '@mailhook/platform/redis';
import { setIfAbsent } from '@mailhook/platform/redis';
import type { AccountWriter } from './account-writer.ts';

interface ResyncDeps {
  readonly store: Pick<Store, 'list'>;
  readonly writer: AccountWriter;
  readonly redis: Redis;
  readonly prefix: string;
  readonly logger: Logger;
  readonly everyMs?: number;
}

const PAGE = 200;
const AT_ONCE = 8;

/** How often a replica repairs the registry after its own failed writes. */
const REPAIR_EVERY_MS = 2000;

/**
 * Keeps the workers' registry equal to the store, even after failures, and stored secrets encrypted with the current
 * key. Every 30 s, one replica goes through all accounts. Each replica also repairs the accounts of its own failed
 * writes within seconds.
 */
export function startResync(deps: ResyncDeps): Closeable {
  const { store, writer, redis, prefix, logger, everyMs = 30_000 } = deps;
  const self = randomUUID();
  let isClosed = false;
  let passInProgress: Promise<void> = Promise.resolve();

  const forEach = async (accounts: readonly string[], update: (account: string) => Promise<void>): Promise<void> => {
    for (let from = 0; from < accounts.length && !isClosed; from += AT_ONCE) {
      await Promise.all(accounts.slice(from, from + AT_ONCE).map(update));
    }
  };

  const pass = async (): Promise<void> => {
    await forEach(writer.takeBehind(), (account) => writer.repair(account));
    if (!(await setIfAbsent(redis, `${prefix}:store-resync`, self, everyMs))) return;
    let after: string | undefined;
    for (;;) {
      const accounts = await store.list(after, PAGE);
      await forEach(accounts, (account) => writer.check(account));
      after = accounts.at(-1);
      if (accounts.length < PAGE || isClosed) return;
    }
  };

  let isRunning = false;
  const run = (): void => {
    if (isRunning) return;
    isRunning = true;
    passInProgress = pass()
      .catch((error: unknown) => {
        logger.warn('the destinations could not be compared with the store; next try follows', { error });
      })
      .finally(() => (isRunning = false));
  };
  run();
  const timer = setInterval(run, REPAIR_EVERY_MS);
  return {
    close: async () => {
      isClosed = true;
      clearInterval(timer);
      await passInProgress;
    },
  };
}
