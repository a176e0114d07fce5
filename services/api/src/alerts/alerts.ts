import type { Store, AlertLinks, CustomerServices } from '@mailhook/core';
import type { Installation } from '@mailhook/delivery';
import { createFindDestination } from '@mailhook/insight';
import type { Closeable } from '@mailhook/platform/lifecycle';
import type { Logger } from '@mailhook/platform/logger';
import type { WatchedWorker } from '@mailhook/platform/queue';
import type { Redis } from '@mailhook/platform/redis';
import type { AccountWriter } from '../accounts/account-writer.ts';
import type { Config } from '../config.ts';
import { createAlertAddresses } from './alert-addresses.ts';
import { createAlertLinkUrls } from './alert-link-urls.ts';
import { createAlertQueue } from './alert-queue.ts';
import type { AlertQueue } from './alert-queue.ts';
import { startAlertWorker } from './alert-worker.ts';
import { createMailer } from './mailer.ts';

/** E-mails to customers about their destinations (docs/guides/alerts.md). */
export interface Alerts extends Closeable {
  readonly queue: Pick<AlertQueue, 'publish'>;
  readonly addresses: NonNullable<CustomerServices['alerts']>;
  readonly links: AlertLinks;
  /** @param connection a `worker` connection, for blocking reads. */
  startWorker(connection: Redis): WatchedWorker;
}

interface AlertsDeps {
  readonly installation: Installation;
  readonly store: Store;
  readonly writer: AccountWriter;
  readonly logger: Logger;
}

/** Undefined without `SMTP_URL`. */
export function openAlerts(config: Config, deps: AlertsDeps): Alerts | undefined {
  const { SMTP_URL: url, SMTP_FROM: from, PUBLIC_URL: publicUrl, BRAND_NAME: brand } = config;
  if (url === undefined || from === undefined || publicUrl === undefined) return undefined;
  const { installation, store, writer, logger } = deps;
  const { redis, prefix } = installation;
  const queue = createAlertQueue(installation);
  const mailer = createMailer({ url, from });
  const addresses = createAlertAddresses({ store, writer, queue, redis, prefix });
  const findDestination = createFindDestination(installation);
  const urls = createAlertLinkUrls(publicUrl, config.ALERT_LINK_URL);
  return {
    queue,
    addresses,
    links: addresses.links,
    startWorker: (connection) =>
      startAlertWorker({ queue, mailer, store, findDestination, redis, prefix, brand, urls, logger }, connection),
    close: () => {
      mailer.close();
      return Promise.resolve();
    },
  };
}
