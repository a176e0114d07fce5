import type { DeactivationJob } from '@mailhook/core';
import { publicIdOf, readCoded, SETTINGS_PAGE_PATH } from '@mailhook/core';
import { operationsMessageId } from '@mailhook/delivery';
import { createReadDestinations } from '@mailhook/insight';
import type { ReadDestinations } from '@mailhook/insight';
import type { Closeable } from '@mailhook/platform/lifecycle';
import type { Config } from '../config.ts';
import { publishTo } from './message-listener.ts';
import type { MessageListener } from './message-listener.ts';
import { startWatch } from './watch.ts';
import type { WatchDeps } from './watch.ts';
import { createWebhookListener, retireWebhook } from './webhook-listener.ts';

/** The messages about customers' destinations (docs/guides/operational-webhooks.md). */
export interface OperationsMessages extends Closeable {
  /** Publishes that a 410 has switched off a destination. Rejects while Redis is away. Can be repeated. */
  readonly announceDeactivation: (job: DeactivationJob) => Promise<void>;
  /** Starts to compare the state with what is announced. */
  start(readers: Pick<WatchDeps['state'], 'publisher' | 'usages'>): void;
}

interface Deps extends Pick<WatchDeps, 'installation' | 'logger'> {
  /** Makes alerts to customers of the messages. */
  readonly alerts: MessageListener;
}

/** Without `OPERATIONS_WEBHOOK_URL`, an earlier address stops getting messages. */
export async function openOperationsMessages(
  config: Config,
  { installation, logger, alerts }: Deps,
): Promise<OperationsMessages> {
  const { OPERATIONS_WEBHOOK_URL: url, OPERATIONS_WEBHOOK_SECRET: secret } = config;
  const webhook =
    url === undefined || secret === undefined ? undefined : createWebhookListener(installation, { url, secret });
  if (webhook === undefined) {
    await retireWebhook(installation).catch((error: unknown) => {
      logger.warn('an earlier operations webhook could not be switched off; the next start tries again', {
        error,
      });
    });
  }
  const listeners = webhook === undefined ? [alerts] : [webhook, alerts];
  const readDestinations = createReadDestinations(installation);
  const limits = { events: config.WAITING_MAX_EVENTS, bytes: config.WAITING_MAX_BYTES };
  const debounceMs = config.OPERATIONS_WEBHOOK_DEBOUNCE;
  let watch: Closeable | undefined;
  return {
    announceDeactivation: (job) => announceDeactivation(job, listeners, readDestinations),
    start(readers) {
      watch = startWatch({
        installation,
        settings: { debounceMs, limits },
        state: { ...readers, readDestinations },
        listeners,
        logger,
      });
    },
    close: async () => {
      await watch?.close();
    },
  };
}

async function announceDeactivation(
  { destination, account, kind, version, reason }: DeactivationJob,
  listeners: readonly MessageListener[],
  readDestinations: ReadDestinations,
): Promise<void> {
  const view = (await readDestinations(account, [{ id: destination, kind }])).get(destination);
  // Deleted, or activated again, since the 410.
  if (view?.state !== 'inactive') return;
  await publishTo(listeners, [
    {
      id: operationsMessageId('deactivated', destination, version),
      type: 'destination.deactivated',
      time: new Date().toISOString(),
      account,
      destination: publicIdOf(account, destination),
      kind,
      module: view.module,
      shape: view.shape,
      address: view.address,
      reason: readCoded(reason),
      portalPath: SETTINGS_PAGE_PATH,
    },
  ]);
}
