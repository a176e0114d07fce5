import { randomUUID } from 'node:crypto';
import { OPERATIONS_ACCOUNT, OPERATIONS_DESTINATION } from '@mailhook/core';
import { createBreakerScans, createDeadLetterTimes } from '@mailhook/insight';
import type { DestinationRegistry, Installation, OperationsPublisher, Publisher } from '@mailhook/delivery';
import type { AccountUsages, ReadDestinations } from '@mailhook/insight';
import type { Closeable } from '@mailhook/platform/lifecycle';
import type { Logger } from '@mailhook/platform/logger';
import { createSealing, SIGNING_SECRET } from '@mailhook/platform/sealing';
import { setIfAbsent } from '@mailhook/platform/redis';
import { accountLimits } from './account-limits.ts';
import { announceDeadLetters } from './added-dead-letters.ts';
import { failingDestinations } from './failing-destinations.ts';
import { track } from './track.ts';

/** What the state of destinations and accounts is read with. */
interface StateReaders {
  readonly publisher: Pick<Publisher, 'overfullAccounts'>;
  readonly usages: Pick<AccountUsages, 'read'>;
  readonly readDestinations: ReadDestinations;
}

interface WatchSettings {
  /** `OPERATIONS_WEBHOOK_URL`, `_SECRET` and `_DEBOUNCE`. */
  readonly url: string;
  readonly secret: string;
  readonly debounceMs: number;
  /** Of an account's waiting events. */
  readonly limits: { readonly events: number; readonly bytes: number };
}

export interface WatchDeps {
  readonly installation: Installation;
  readonly settings: WatchSettings;
  readonly state: StateReaders;
  readonly registry: Pick<DestinationRegistry, 'save'>;
  readonly messages: OperationsPublisher;
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
/** With more undelivered messages, checks wait. What has changed meanwhile is announced later. */
const WAITING_MAX = 10_000;

/**
 * Compares the state of destinations, dead letters and accounts with what is announced, and publishes the differences.
 * One replica at a time checks. Everything that is known between two checks is in Redis, so each replica can do the
 * next one.
 */
export function startWatch(deps: WatchDeps): Closeable {
  const { redis, prefix } = deps.installation;
  const { debounceMs } = deps.settings;
  const self = randomUUID();
  const leaseKey = `${keyPrefixOf(prefix)}:lease`;
  const everyMs = Math.min(CHECK_EVERY_MS.max, Math.max(CHECK_EVERY_MS.min, debounceMs / 4));
  const register = registration(deps);
  const check = createCheck(deps);
  let isRegistered = false;

  const run = async (): Promise<void> => {
    // At once after the start, so that a new address or secret takes effect.
    if (!isRegistered) await register();
    isRegistered = true;
    if (!(await setIfAbsent(redis, leaseKey, self, LEASE_MS))) return;
    const startedAtMs = performance.now();
    const isLate = (): boolean => performance.now() - startedAtMs > CHECK_MAX_MS;
    try {
      await register();
      await check(isLate);
    } finally {
      if (!isLate()) await redis.pexpire(leaseKey, everyMs);
    }
  };
  let inProgress: Promise<void> | undefined;
  const timer = setInterval(() => {
    inProgress ??= run()
      .catch((error: unknown) => {
        deps.logger.warn('the state could not be compared for the operations webhook; next try follows', { error });
      })
      .finally(() => (inProgress = undefined));
  }, everyMs);
  return {
    close: async () => {
      clearInterval(timer);
      await inProgress;
    },
  };
}

const keyPrefixOf = (prefix: string): string => `${prefix}:operations-webhook`;

/**
 * Writes the destination's record. Its version is the time of this process's start, so the settings that started last
 * win, and a start activates the destination again after a 410.
 */
function registration({ installation, registry, settings }: WatchDeps): () => Promise<void> {
  const { url, secret } = settings;
  const [clock] = createBreakerScans(installation);
  let version: number | undefined;
  return async () => {
    version ??= (await clock?.nowMs()) ?? 0;
    await registry.save({
      id: OPERATIONS_DESTINATION,
      kind: 'transactional',
      account: OPERATIONS_ACCOUNT,
      address: url,
      active: true,
      inactiveReason: null,
      version,
      // The variable is not encrypted either.
      secrets: [createSealing([]).seal(secret, { account: OPERATIONS_ACCOUNT, field: SIGNING_SECRET })],
    });
  };
}

function createCheck(deps: WatchDeps): (isLate: () => boolean) => Promise<void> {
  const { installation, messages, settings, state, logger } = deps;
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
    isBackedUp = (await messages.countWaiting()) >= WAITING_MAX;
    if (isBackedUp && !wasBackedUp) logger.warn('the operations webhook is behind, so new messages wait for it');
    if (isBackedUp) return;
    const publisher: Pick<OperationsPublisher, 'publish'> = {
      publish(list) {
        if (isLate()) throw new Error('the comparison took too long');
        return messages.publish(list);
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
