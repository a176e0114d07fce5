import type { Store, AlertLinks, CustomerServices } from '@mailhook/core';
import { BLOCKED_NAME, createReceiverClient, REPLY_CAP_BYTES } from '@mailhook/delivery';
import type { Installation } from '@mailhook/delivery';
import { createFindDestination } from '@mailhook/insight';
import { egressPolicy } from '@mailhook/platform/egress';
import type { Closeable } from '@mailhook/platform/lifecycle';
import type { Logger } from '@mailhook/platform/logger';
import type { WatchedWorker } from '@mailhook/platform/queue';
import type { Redis } from '@mailhook/platform/redis';
import type { AccountWriter } from '../accounts/account-writer.ts';
import type { Config } from '../config.ts';
import { createAlertAddresses } from './alert-addresses.ts';
import { createAlertFailures } from './alert-failures.ts';
import { createAlertWebhooks, createPostAlert } from './alert-webhooks.ts';
import type { WebhookRules } from './alert-webhooks.ts';
import { createAlertLinkUrls } from './alert-link-urls.ts';
import { createAlertQueue } from './alert-queue.ts';
import type { AlertQueue } from './alert-queue.ts';
import { startAlertWorker } from './alert-worker.ts';
import { createMailer } from './mailer.ts';

/** Messages to customers about their destinations (docs/guides/alerts.md). */
export interface Alerts extends Closeable {
  readonly queue: Pick<AlertQueue, 'publish'>;
  readonly addresses: CustomerServices['alerts'];
  readonly links: AlertLinks;
  /** @param connection a `worker` connection, for blocking reads. */
  startWorker(connection: Redis): WatchedWorker;
}

interface AlertsDeps {
  readonly installation: Installation;
  readonly store: Store;
  readonly writer: AccountWriter;
  readonly rules: WebhookRules;
  readonly logger: Logger;
}

/** Of requests to webhooks. Alerts are few. */
const CONNECTIONS_MAX = 50;

/** Without `SMTP_URL`, only webhooks get alerts. */
export function openAlerts(config: Config, deps: AlertsDeps): Alerts {
  const { SMTP_URL: url, SMTP_FROM: from, PUBLIC_URL: publicUrl, BRAND_NAME: brand } = config;
  const { DELIVERY_TIMEOUT_MS: deadlineMs } = config;
  const { installation, store, writer, logger } = deps;
  const { redis, prefix } = installation;
  const queue = createAlertQueue(installation);
  const mailer = url === undefined || from === undefined ? undefined : createMailer({ url, from });
  const client = createReceiverClient({
    timeoutMs: deadlineMs,
    replyCapBytes: REPLY_CAP_BYTES,
    egress: egressPolicy(config),
    proxyUrl: config.EGRESS_PROXY_URL,
    onBlockedName: (name, ip, verdict) => logger.warn(BLOCKED_NAME, { name, ip, verdict }),
    connectionsMax: CONNECTIONS_MAX,
  });
  const post = createPostAlert(client);
  const failures = createAlertFailures({ redis, prefix });
  const { links, ...addresses } = createAlertAddresses({
    store,
    writer,
    queue,
    failures,
    redis,
    prefix,
    sendsMails: mailer !== undefined,
  });
  const webhooks = createAlertWebhooks({
    store,
    writer,
    failures,
    post,
    rules: deps.rules,
    brand,
  });
  const findDestination = createFindDestination(installation);
  const urls = createAlertLinkUrls(publicUrl, config.ALERT_LINK_URL);
  return {
    queue,
    addresses: { ...addresses, webhooks },
    links,
    startWorker: (connection) =>
      startAlertWorker(
        { queue, mailer, post, failures, store, findDestination, redis, prefix, brand, deadlineMs, urls, logger },
        connection,
      ),
    close: async () => {
      mailer?.close();
      await client.close();
    },
  };
}
