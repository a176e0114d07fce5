import { ALERT_LINK_PATH } from '@mailhook/console';
import type { AlertLinks } from '@mailhook/console';
import type { Store } from '@mailhook/core';
import type { Installation } from '@mailhook/delivery';
import { createFindDestination } from '@mailhook/insight';
import type { Closeable } from '@mailhook/platform/lifecycle';
import type { Logger } from '@mailhook/platform/logger';
import type { WatchedWorker } from '@mailhook/platform/queue';
import type { Redis } from '@mailhook/platform/redis';
import type { AccountWriter } from '../accounts/account-writer.ts';
import type { PortalLinks } from '../auth/portal-links.ts';
import type { Config } from '../config.ts';
import { createAlertAddresses } from './alert-addresses.ts';
import type { AlertAddresses } from './alert-addresses.ts';
import { createAlertQueue } from './alert-queue.ts';
import type { AlertQueue } from './alert-queue.ts';
import { startAlertWorker } from './alert-worker.ts';
import { createMailer } from './mailer.ts';

/** E-mails to customers about their destinations (docs/guides/alerts.md). */
export interface Alerts extends Closeable {
  readonly queue: Pick<AlertQueue, 'publish'>;
  readonly addresses: AlertAddresses;
  readonly links: AlertLinks;
  /** @param connection a `worker` connection, for blocking reads. */
  startWorker(connection: Redis): WatchedWorker;
}

interface AlertsDeps {
  readonly installation: Installation;
  readonly store: Store;
  readonly writer: AccountWriter;
  readonly links: PortalLinks;
  readonly logger: Logger;
}

/** Undefined without `SMTP_URL`. */
export function openAlerts(config: Config, deps: AlertsDeps): Alerts | undefined {
  const { SMTP_URL: url, SMTP_FROM: from, PUBLIC_URL: publicUrl, BRAND_NAME: brand } = config;
  if (url === undefined || from === undefined || publicUrl === undefined) return undefined;
  const { installation, store, writer, links, logger } = deps;
  const { redis, prefix } = installation;
  const queue = createAlertQueue(installation);
  const mailer = createMailer({ url, from });
  const addresses = createAlertAddresses({ store, writer, queue, redis, prefix });
  const findDestination = createFindDestination(installation);
  const ownUrl = (account: string, token: string): string =>
    new URL(`${ALERT_LINK_PATH}?${new URLSearchParams({ account, token }).toString()}`, publicUrl).href;
  return {
    queue,
    addresses,
    links: addresses.links,
    startWorker: (connection) =>
      startAlertWorker(
        { queue, mailer, store, links, findDestination, redis, prefix, brand, publicUrl, ownUrl, logger },
        connection,
      ),
    close: () => {
      mailer.close();
      return Promise.resolve();
    },
  };
}
