import { randomUUID } from 'node:crypto';
import type { Store } from '@mailhook/core';
import type { DestinationRegistry, MailboxChecks } from '@mailhook/delivery';
import type { Logger } from '@mailhook/platform/logger';
import type { Closeable } from '@mailhook/platform/lifecycle';
import { every } from '@mailhook/platform/timers';
import type { Redis } from '@mailhook/platform/redis';
import { readRunIds, withLock } from '@mailhook/platform/redis';
import { z } from 'zod';
import type { AccountWriter } from './account-writer.ts';
import { createComparison, forEach, START } from './comparison.ts';
import type { UnfinishedChanges } from './unfinished-changes.ts';

interface ResyncDeps {
  readonly store: Pick<Store, 'list' | 'loadAll' | 'findDeletion' | 'readComparison' | 'noteComparison'>;
  readonly writer: Pick<AccountWriter, 'check' | 'repair' | 'removeUnknown' | 'takeBehind'>;
  readonly registry: Pick<DestinationRegistry, 'list'>;
  readonly mailboxes: MailboxChecks;
  readonly unfinished: Pick<UnfinishedChanges, 'find' | 'forget'>;
  readonly redis: Redis;
  readonly prefix: string;
  readonly logger: Pick<Logger, 'warn'>;
  readonly everyMs?: number;
  /** How often a replica repairs the registry after its own failed writes. */
  readonly repairEveryMs?: number;
  /** Accounts that are compared each time, and records. */
  readonly page?: number;
}

/** 10 accounts per second: all of 50,000 in 83 minutes. */
const PAGE = 300;

/** What Redis knows of the last comparison. The store knows its id. */
const comparison = z.object({
  id: z.string(),
  runIds: z.string(),
  account: z.string(),
  records: z.string(),
  left: z.number(),
});

/**
 * Keeps the workers' registry equal to the store, even after failures and when one of the two went back in time, and
 * stored secrets encrypted with the current key. Every 30 s, one replica compares a page, and all pages if there may be
 * a difference. Each replica also repairs the accounts of its own failed writes within seconds.
 */
export function startResync(deps: ResyncDeps): Closeable {
  const { store, writer, unfinished, redis, prefix, logger } = deps;
  const { everyMs = 30_000, repairEveryMs = 2000, page = PAGE } = deps;
  let isClosed = false;
  let isFirst = true;
  const key = `${prefix}:store-comparison`;
  const lock = `${prefix}:store-resync`;
  const { comparePage, compareAll } = createComparison({ ...deps, page, isClosed: () => isClosed });

  const pass = async (): Promise<void> => {
    await forEach(
      writer.takeBehind(),
      () => isClosed,
      (account) => writer.repair(account),
    );
    await withLock(redis, { key: lock, forMs: everyMs, restMs: everyMs }, compare);
  };
  /**
   * The store and Redis have the id of the last comparison. If the ids differ, one of the two went back. A Redis that
   * has read its data anew may lack its last writes, and a change that did not finish may be in the store only. This
   * process may have another store than before, or another key for secrets.
   */
  const compare = async (): Promise<void> => {
    const [noted, runIds, notes] = await Promise.all([store.readComparison(), readRunIds(redis), unfinished.find()]);
    const last = comparison.safeParse(JSON.parse((await redis.get(key)) ?? 'null')).data;
    const isSame = last !== undefined && last.id === noted && last.runIds === runIds;
    let position = START;
    if (isFirst || !isSame || notes.length > 0) await compareAll(() => redis.pexpire(lock, everyMs));
    else position = await comparePage(last);
    if (isClosed) return;
    const id = randomUUID();
    await store.noteComparison(id);
    await redis.set(key, JSON.stringify({ ...position, id, runIds }));
    await unfinished.forget(notes);
    isFirst = false;
  };

  const run = (): Promise<void> =>
    pass().catch((error: unknown) => {
      logger.warn('the destinations could not be compared with the store; next try follows', { error });
    });
  const running = every(repairEveryMs, run, 'now');
  return {
    close: () => {
      isClosed = true;
      return running.close();
    },
  };
}
