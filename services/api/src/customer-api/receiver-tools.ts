import type { Store } from '@mailhook/core';
import { BLOCKED_NAME, createAttemptRecorder, createReceiverClient, REPLY_CAP_BYTES } from '@mailhook/delivery';
import { createAttemptLog } from '@mailhook/insight';
import type { Installation, ReceiverClient } from '@mailhook/delivery';
import { createDoctor, PROBES_MAX } from '@mailhook/doctor';
import { egressPolicy } from '@mailhook/platform/egress';
import type { Owned } from '@mailhook/platform/lifecycle';
import type { Logger } from '@mailhook/platform/logger';
import type { Sealing } from '@mailhook/platform/sealing';
import type { Config } from '../config.ts';
import type { RequestLimits } from '../auth/request-limits.ts';
import { createAddressCheck, createSavedAddressCheck } from './address-check.ts';
import type { WebhookRules } from '../alerts/alert-webhooks.ts';
import { createCheckLimiter, createTestLimiter } from './check-limiter.ts';
import { createReadCredentials } from './credentials.ts';
import { createReceiverTests } from './receiver-tests.ts';

/** Rows of the attempt log that count as one request of the account (docs/decisions/0019). */
const ROWS_PER_REQUEST = 500;

interface ReceiverToolsDeps {
  readonly installation: Installation;
  readonly store: Store;
  readonly sealing: Sealing;
  readonly limits: Pick<RequestLimits, 'charge'>;
  readonly logger: Logger;
}

/**
 * Outgoing requests of the API: sample notifications, connection tests and receiver checks. They follow the rules of
 * real deliveries.
 */
export function createReceiverTools(config: Config, deps: ReceiverToolsDeps, owned: Owned) {
  const { installation, store, sealing, limits, logger } = deps;
  const credentials = createReadCredentials({ store, sealing });
  const egress = egressPolicy(config);
  const checkAddress = createAddressCheck(egress);
  const attempts = createAttemptLog(installation, {
    onRead: (account, rows) => limits.charge(account, rows / ROWS_PER_REQUEST),
  });
  const recorder = owned(
    createAttemptRecorder(installation, {
      onError: (error) => logger.warn('tests could not be logged', { error }),
    }),
  );
  const client = owned(
    createReceiverClient({
      timeoutMs: config.DELIVERY_TIMEOUT_MS,
      replyCapBytes: REPLY_CAP_BYTES,
      replyExcerptBytes: config.REPLY_EXCERPT_BYTES,
      egress,
      proxyUrl: config.EGRESS_PROXY_URL,
      onBlockedName: (name, ip, verdict) => logger.warn(BLOCKED_NAME, { name, ip, verdict }),
    }),
  );
  const turns = createTestLimiter(installation);
  const tests = createReceiverTests({ client, attempts: recorder, credentials, turns, now: () => Date.now() });
  return {
    attempts,
    tests,
    credentials,
    checkAddress,
    checkSavedAddress: createSavedAddressCheck(checkAddress, config.HTTPS_ONLY_DESTINATIONS),
    ...createChecking(config, installation, client),
  };
}

/** The rules of addresses and of tests, for webhooks that are no destinations. */
export function createWebhookRules(config: Config, installation: Installation): WebhookRules {
  const check = createSavedAddressCheck(createAddressCheck(egressPolicy(config)), config.HTTPS_ONLY_DESTINATIONS);
  const turns = createTestLimiter(installation);
  return {
    inTurn: (account, work) => turns.run(account, work),
    checkAddress: (address) => check(address, () => Promise.resolve(undefined)),
  };
}

export type ReceiverTools = ReturnType<typeof createReceiverTools>;

/** Extra time for a check, beyond the deadlines of its requests. */
const CHECK_SLACK_MS = 10_000;

function createChecking(config: Config, { redis, prefix }: Installation, client: ReceiverClient) {
  const timeoutMs = config.DELIVERY_TIMEOUT_MS;
  const longestMs = PROBES_MAX * timeoutMs + CHECK_SLACK_MS;
  return {
    doctor: createDoctor({ client, timeoutMs }),
    turns: createCheckLimiter({ redis, prefix, longestMs }),
  };
}
