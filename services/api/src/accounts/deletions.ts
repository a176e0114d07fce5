import type { Store, StoredDeletion, DeletionProgress } from '@mailhook/core';
import type { DeadLetterBox, DestinationRegistry, EraseRecords } from '@mailhook/delivery';
import type { AccountUsages } from '@mailhook/insight';
import type { Closeable } from '@mailhook/platform/lifecycle';
import { every } from '@mailhook/platform/timers';
import type { Logger } from '@mailhook/platform/logger';
import type { Redis } from '@mailhook/platform/redis';
import { withLock } from '@mailhook/platform/redis';
import { removeAccount } from './change-account.ts';
import type { ChangeBus } from './change-bus.ts';
import type { ErasedLogs } from './erased-logs.ts';
import type { RoutingTable } from './routing-table.ts';
import type { TokenUses } from './token-uses.ts';
import type { TokenDirectory } from './token-directory.ts';

/**
 * Deletes accounts with all of their data. A deletion that was recorded continues until nothing is left, on whichever
 * replica runs.
 */
export interface Deletions extends Closeable {
  /**
   * Resolves when the account is unknown to every caller that asks the store. Undefined if there is no such account.
   * Can be repeated, and begins again after its end.
   */
  start(account: string): Promise<DeletionProgress | undefined>;
  /** Undefined if the account was not deleted, or more than `ID_BLOCKED_MS` ago. */
  progress(account: string): Promise<DeletionProgress | undefined>;
}

/** What lets an account's customer and producers in. */
interface AccountAccess {
  readonly routing: Pick<RoutingTable, 'invalidate'>;
  readonly tokens: Pick<TokenDirectory, 'forgetAccount'>;
  readonly bus: Pick<ChangeBus, 'publish'>;
  /** Sessions that are not bound to a token of the account. */
  readonly sessions: { closeAllOf(account: string): Promise<void> };
}

/** What the engine and the api keep about an account, besides the store. */
interface AccountData {
  readonly registry: DestinationRegistry;
  readonly deadLetters: Pick<DeadLetterBox, 'discard'>;
  readonly tokenUses: Pick<TokenUses, 'forget'>;
  readonly eraseRecords: EraseRecords;
  readonly usages: Pick<AccountUsages, 'read'>;
}

interface DeletionsDeps {
  readonly store: Store;
  readonly access: AccountAccess;
  readonly data: AccountData;
  readonly logs: ErasedLogs;
  readonly redis: Redis;
  readonly prefix: string;
  readonly logger: Logger;
}

const EVERY_MS = 2000;
/** So that the replicas share the work. Shorter than the time between two tries: one replica alone misses none. */
const REST_MS = EVERY_MS / 2;

/**
 * Longer than a request or an attempt that was in progress at the deletion, so that their late writes are removed
 * before it counts as finished: an attempt takes up to 5 s, its worker writes counts 3 s later, and both are late on a
 * busy machine.
 */
const SHORTEST_MS = 15_000;

/**
 * A replica that missed the message of the deletion routes by its old snapshot for 30 s. Its late events are removed
 * after the end, too.
 */
const REPEATED_FOR_MS = 60_000;

/**
 * Each try in the event log adds an object. Shorter than `REPEATED_FOR_MS`: the last one comes after the last late
 * event.
 */
const LOG_EVERY_MS = 20_000;

/**
 * The id of a deleted account cannot be used again while records of its destinations discard late events, which is a
 * week.
 */
export const ID_BLOCKED_MS = 7 * 86_400_000 + 3_600_000;

export function startDeletions(deps: DeletionsDeps): Deletions {
  const { store, access, data, redis, prefix, logger } = deps;
  const inProgress = new Set<Promise<void>>();
  let isClosed = false;

  const progressOf = async (deletion: StoredDeletion | undefined): Promise<DeletionProgress | undefined> => {
    if (deletion === undefined) return undefined;
    const { account, startedAt, finishedAt } = deletion;
    const { events, deadLetters } = await data.usages.read(account);
    return { account, startedAt, finishedAt, remaining: { events, deadLetters } };
  };
  const warn = (error: unknown): void =>
    void logger.warn('an account could not be deleted completely; next try follows', { error });
  const runAll = async (): Promise<void> => {
    if (inProgress.size > 0 || (await store.listDeletions()).length === 0) return;
    await withLock(redis, { key: `${prefix}:account-deletions`, forMs: EVERY_MS, restMs: REST_MS }, async () => {
      for (const deletion of await store.listDeletions())
        if (!isClosed) await continueDeletion(deps, deletion).catch(warn);
    });
  };
  const inBackground = (task: Promise<void>): void => {
    const run = task.catch(warn).finally(() => inProgress.delete(run));
    inProgress.add(run);
  };
  const warnOfList = (error: unknown): void =>
    void logger.warn('the unfinished deletions of accounts could not be read; next try follows', { error });
  const continuing = every(EVERY_MS, () => runAll().catch(warnOfList));

  return {
    async start(account) {
      await removeAccount(store, account);
      const found = await store.findDeletion(account);
      if (found === undefined) return undefined;
      // Redis may have data of the account again, from a backup.
      if (found.finishedAt !== null) await store.finishDeletion(account, null);
      const deletion = { ...found, finishedAt: null };
      access.routing.invalidate(account);
      access.tokens.forgetAccount(account);
      await access.bus.publish({ account, isDeleted: true });
      await access.sessions.closeAllOf(account);
      if (!isClosed) inBackground(continueDeletion(deps, deletion));
      return progressOf(deletion);
    },
    progress: async (account) => progressOf(await store.findDeletion(account)),
    close: async () => {
      isClosed = true;
      await Promise.all([continuing.close(), ...inProgress]);
    },
  };
}

/**
 * Every step can be repeated, because the process may end between any two, and because a late request may still add
 * something.
 */
async function continueDeletion(
  deps: DeletionsDeps,
  { account, startedAt, finishedAt, destinations }: StoredDeletion,
): Promise<void> {
  const { store, access, data, logger } = deps;
  const { registry, deadLetters, tokenUses, eraseRecords, usages } = data;
  const finishedForMs = finishedAt === null ? 0 : Date.now() - Date.parse(finishedAt);
  // A new account with this id would read what the log still has of the old one.
  if (finishedForMs > ID_BLOCKED_MS && !(await isInLogs(deps, account))) await store.forgetDeletion(account);
  if (finishedForMs > REPEATED_FOR_MS) return;
  // A process may have ended between the record of the deletion and the removal.
  await removeAccount(store, account);
  // The workers then delete the waiting events.
  for (const one of destinations) await registry.remove({ ...one, account });
  await deadLetters.discard({ account });
  await access.sessions.closeAllOf(account);
  await tokenUses.forget(account);
  await eraseRecords(account, Date.now());
  await eraseFromLogs(deps, account);
  const left = await usages.read(account);
  const isYoung = Date.now() - Date.parse(startedAt) < SHORTEST_MS;
  if (finishedAt !== null || isYoung || left.events > 0 || left.deadLetters > 0) return;
  await store.finishDeletion(account, new Date().toISOString());
  logger.info('an account was deleted completely', { account });
}

async function isInLogs({ logs }: DeletionsDeps, account: string): Promise<boolean> {
  for (const { log } of await logs.list()) if (await log.holdsAccount(account)) return true;
  return false;
}

async function eraseFromLogs({ logs, redis, prefix }: DeletionsDeps, account: string): Promise<void> {
  const done = (await logs.list()).map(async ({ name, log }) => {
    const key = `${prefix}:erased-from-log:${account}:${name}`;
    if ((await redis.set(key, '1', 'PX', LOG_EVERY_MS, 'NX')) === null) return;
    try {
      await log.erase(account, 'all');
    } catch (error) {
      // The deletion has not finished until all places of the log have taken it.
      await redis.del(key);
      throw error;
    }
  });
  await Promise.allSettled(done);
  await Promise.all(done);
}
