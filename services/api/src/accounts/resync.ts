import type { Store } from '@mailhook/core';
import type { DestinationRegistry } from '@mailhook/delivery';
import type { Logger } from '@mailhook/platform/logger';
import type { Closeable } from '@mailhook/platform/lifecycle';
import type { Redis } from '@mailhook/platform/redis';
import { withLock } from '@mailhook/platform/redis';
import type { AccountWriter } from './account-writer.ts';

interface ResyncDeps {
  readonly store: Pick<Store, 'list' | 'loadAll' | 'listDeletions'>;
  readonly writer: AccountWriter;
  readonly registry: Pick<DestinationRegistry, 'findOthers'>;
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
 * Keeps the workers' registry equal to the store, even after failures and when one of the two went back in time, and
 * stored secrets encrypted with the current key. Every 30 s, one replica goes through all accounts, and then through
 * the records of destinations that none of them has. Each replica also repairs the accounts of its own failed writes
 * within seconds.
 */
export function startResync(deps: ResyncDeps): Closeable {
  const { store, writer, registry, redis, prefix, logger, everyMs = 30_000 } = deps;
  let isClosed = false;
  let passInProgress: Promise<void> = Promise.resolve();

  const forEach = async (accounts: readonly string[], update: (account: string) => Promise<void>): Promise<void> => {
    for (let from = 0; from < accounts.length && !isClosed; from += AT_ONCE) {
      await Promise.all(accounts.slice(from, from + AT_ONCE).map(update));
    }
  };

  const pass = async (): Promise<void> => {
    await forEach(writer.takeBehind(), (account) => writer.repair(account));
    await withLock(redis, { key: `${prefix}:store-resync`, forMs: everyMs, restMs: everyMs }, compareAll);
  };
  const compareAll = async (): Promise<void> => {
    const known = new Set<string>();
    let after: string | undefined;
    let isLast = false;
    while (!isLast && !isClosed) {
      const accounts = await store.list(after, PAGE);
      await forEach(accounts, async (account) => {
        for (const id of await writer.check(account)) known.add(id);
      });
      after = accounts.at(-1);
      isLast = accounts.length < PAGE;
    }
    if (!isClosed) await removeUnknown(known);
  };
  let leftBefore = 0;
  /** Leaves those of accounts that the store has never had: it may be the wrong store, or an empty one. */
  const removeUnknown = async (known: ReadonlySet<string>): Promise<void> => {
    let left = 0;
    const deletions = (await store.listDeletions()).map(({ account }) => account);
    for await (const records of registry.findOthers(known)) {
      const accounts = await store.loadAll([...new Set(records.map(({ account }) => account))]);
      const had = new Set([...deletions, ...accounts.map(({ id }) => id)]);
      for (const record of records) {
        if (isClosed) return;
        if (had.has(record.account)) await writer.removeUnknown(record);
        else left += 1;
      }
    }
    if (left > 0 && left !== leftBefore)
      logger.warn('Redis has destinations of accounts that the store does not have; they stay as they are', {
        destinations: left,
      });
    leftBefore = left;
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
