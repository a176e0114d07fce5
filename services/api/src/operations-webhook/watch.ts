import { createBreakerScans, createDeadLetterTimes } from '@mailhook/insight';
import type { Installation, Publisher } from '@mailhook/delivery';
import type { AccountUsages, ReadDestinations } from '@mailhook/insight';
import type { Closeable } from '@mailhook/platform/lifecycle';
import { every } from '@mailhook/platform/timers';
import type { Logger } from '@mailhook/platform/logger';
import { withLock } from '@mailhook/platform/redis';
import { accountLimits } from './account-limits.ts';
import { announceDeadLetters } from './added-dead-letters.ts';
import { failingDestinations } from './failing-destinations.ts';
import { publishTo } from './message-listener.ts';
import type { MessageListener } from './message-listener.ts';
import { track } from './track.ts';

/** What the state of destinations and accounts is read with. */
interface StateReaders {
  readonly publisher: Pick<Publisher, 'overfullAccounts'>;
  readonly usages: Pick<AccountUsages, 'read'>;
  readonly readDestinations: ReadDestinations;
}

interface WatchSettings {
  /** `OPERATIONS_WEBHOOK_DEBOUNCE`. */
  readonly debounceMs: number;
  /** Of an account's waiting events. */
  readonly limits: { readonly events: number; readonly bytes: number };
}

export interface WatchDeps {
  readonly installation: Installation;
  readonly settings: WatchSettings;
  readonly state: StateReaders;
  readonly listeners: readonly MessageListener[];
  readonly logger: Logger;
}

/** Time between two checks: a quarter of the debounce, within these bounds. */
const CHECK_EVERY_MS = { min: 250, max: 5000 };
/** A replica that dies during its check delays the next one by this. */
const LEASE_MS = 10_000;
/** A replica that takes longer stops its check, because another one may begin at the end of the lease. */
const CHECK_MAX_MS = 6000;
/** Each reads its destination, with up to 100 resends. */
const MESSAGES_PER_CHECK = 200;

/**
 * Compares the state of destinations, dead letters and accounts with what is announced, and publishes the differences.
 * One replica at a time checks. Everything that is known between two checks is in Redis, so each replica can do the
 * next one.
 */
export function startWatch(deps: WatchDeps): Closeable {
  const { redis, prefix } = deps.installation;
  const { debounceMs } = deps.settings;
  const key = `${keyPrefixOf(prefix)}:lease`;
  const everyMs = Math.min(CHECK_EVERY_MS.max, Math.max(CHECK_EVERY_MS.min, debounceMs / 4));
  const prepare = () => Promise.all(deps.listeners.map(async (listener) => listener.prepare?.()));
  const check = createCheck(deps);
  let isPrepared = false;

  const run = async (): Promise<void> => {
    if (!isPrepared) await prepare();
    isPrepared = true;
    await withLock(redis, { key, forMs: LEASE_MS, restMs: everyMs }, async () => {
      const startedAtMs = performance.now();
      await prepare();
      await check(() => performance.now() - startedAtMs > CHECK_MAX_MS);
    });
  };
  return every(everyMs, () =>
    run().catch((error: unknown) => {
      deps.logger.warn('the state could not be compared with the messages about it; next try follows', { error });
    }),
  );
}

const keyPrefixOf = (prefix: string): string => `${prefix}:operations-webhook`;

function createCheck(deps: WatchDeps): (isLate: () => boolean) => Promise<void> {
  const { installation, listeners, settings, state, logger } = deps;
  const { redis, prefix } = installation;
  const { debounceMs, limits } = settings;
  const keyPrefix = keyPrefixOf(prefix);
  const breakers = createBreakerScans(installation);
  const failing = breakers.map((scan) => ({
    scan,
    condition: failingDestinations(scan, { keyPrefix, debounceMs, readDestinations: state.readDestinations }),
  }));
  const { publisher: overfull, usages } = state;
  const accounts = accountLimits({ keyPrefix, debounceMs, publisher: overfull, usages, limits });
  const deadLetters = createDeadLetterTimes(installation);
  let isBackedUp = false;

  return async (isLate) => {
    const wasBackedUp = isBackedUp;
    isBackedUp = (await Promise.all(listeners.map(async (listener) => listener.isBehind?.()))).includes(true);
    if (isBackedUp && !wasBackedUp) logger.warn('the operations webhook is behind, so new messages wait for it');
    if (isBackedUp) return;
    const publisher: Pick<MessageListener, 'publish'> = {
      async publish(list) {
        if (isLate()) throw new Error('the comparison took too long');
        await publishTo(listeners, list);
      },
    };
    const budget = { messages: MESSAGES_PER_CHECK };
    const tracking = { redis, publisher, cursorsKey: `${keyPrefix}:cursors` };
    for (const times of deadLetters) await announceDeadLetters({ redis, publisher, keyPrefix, debounceMs }, times);
    await track(tracking, accounts, (await breakers[0]?.nowMs()) ?? 0, budget);
    // Starts anywhere, so that no shard always gets what the others leave of the budget.
    const start = Math.floor(Math.random() * failing.length);
    for (const { scan, condition } of [...failing.slice(start), ...failing.slice(0, start)])
      await track(tracking, condition, await scan.nowMs(), budget);
  };
}
