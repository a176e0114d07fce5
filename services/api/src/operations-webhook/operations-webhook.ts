import type { DeactivationJob } from '@mailhook/core';
import { NO_LIMITS, OPERATIONS_ACCOUNT, OPERATIONS_DESTINATION, SETTINGS_PAGE_PATH } from '@mailhook/core';
import { createDestinationRegistry, createOperationsPublisher, operationsMessageId } from '@mailhook/delivery';
import { createDeadLetterTimes, createReadDestinations } from '@mailhook/insight';
import type { Installation, OperationsPublisher } from '@mailhook/delivery';
import type { ReadDestinations } from '@mailhook/insight';
import type { Closeable } from '@mailhook/platform/lifecycle';
import type { Config } from '../config.ts';
import { publicId } from './failing-destinations.ts';
import { startWatch } from './watch.ts';
import type { WatchDeps } from './watch.ts';

/** The webhook that informs the platform about its customers' destinations (docs/guides/operational-webhooks.md). */
export interface OperationsWebhook extends Closeable {
  /** Publishes that a 410 has switched off a destination. Rejects while Redis is away. Can be repeated. */
  readonly announceDeactivation: (job: DeactivationJob) => Promise<void>;
  /** Starts to compare the state with what is announced. */
  start(readers: Pick<WatchDeps['state'], 'publisher' | 'usages'>): void;
}

type Deps = Pick<WatchDeps, 'installation' | 'logger'>;

/** Undefined without `OPERATIONS_WEBHOOK_URL`. An earlier address then stops getting messages. */
export async function openOperationsWebhook(config: Config, deps: Deps): Promise<OperationsWebhook | undefined> {
  const { OPERATIONS_WEBHOOK_URL: url, OPERATIONS_WEBHOOK_SECRET: secret } = config;
  const { installation, logger } = deps;
  const readDestinations = createReadDestinations(installation);
  if (url === undefined || secret === undefined) {
    await retire(installation, readDestinations).catch((error: unknown) => {
      logger.warn('an earlier operations webhook could not be switched off; the next start tries again', {
        error,
      });
    });
    return undefined;
  }
  const messages = createOperationsPublisher(installation);
  const registry = createDestinationRegistry(installation);
  const limits = { events: config.WAITING_MAX_EVENTS, bytes: config.WAITING_MAX_BYTES };
  const debounceMs = config.OPERATIONS_WEBHOOK_DEBOUNCE;
  let watch: Closeable | undefined;
  return {
    announceDeactivation: (job) => announceDeactivation(job, messages, readDestinations),
    start(readers) {
      watch = startWatch({
        installation,
        settings: { url, secret, debounceMs, limits },
        state: { ...readers, readDestinations },
        registry,
        messages,
        logger,
      });
    },
    close: async () => {
      await watch?.close();
    },
  };
}

const OPERATIONS = { id: OPERATIONS_DESTINATION, kind: 'transactional' } as const;

/** Switches off the destination of earlier settings. Its waiting messages become dead letters. */
async function retire(installation: Installation, readDestinations: ReadDestinations): Promise<void> {
  const view = (await readDestinations(OPERATIONS_ACCOUNT, [OPERATIONS])).get(OPERATIONS_DESTINATION);
  if (view === undefined || view.state === 'inactive') return;
  await createDestinationRegistry(installation).save({
    ...OPERATIONS,
    account: OPERATIONS_ACCOUNT,
    address: view.address,
    active: false,
    inactiveReason: 'OPERATIONS_WEBHOOK_URL is not set',
    version: (await createDeadLetterTimes(installation)[0]?.nowMs()) ?? 0,
    secrets: [],
    headers: {},
    limits: NO_LIMITS,
  });
}

async function announceDeactivation(
  { destination, account, kind, version, reason }: DeactivationJob,
  messages: OperationsPublisher,
  readDestinations: ReadDestinations,
): Promise<void> {
  const view = (await readDestinations(account, [{ id: destination, kind }])).get(destination);
  // Deleted, or activated again, since the 410.
  if (view?.state !== 'inactive') return;
  await messages.publish([
    {
      id: operationsMessageId('deactivated', destination, version),
      type: 'destination.deactivated',
      time: new Date().toISOString(),
      account,
      destination: publicId(kind, destination),
      kind,
      address: view.address,
      reason,
      portalPath: SETTINGS_PAGE_PATH,
    },
  ]);
}
