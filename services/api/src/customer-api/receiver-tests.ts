import { randomUUID } from 'node:crypto';
import {
  capitalized,
  connectionTestFault,
  localFaultMessage,
  notificationOutcome,
  sampleNotification,
} from '@mailhook/core';
import type { ReceiverExchange, Store, SubscriptionType, TestResult } from '@mailhook/core';
import { deliveryHeaders } from '@mailhook/delivery';
import type { AttemptLog, ReceiverClient } from '@mailhook/delivery';
import type { RequestLimiter } from './check-limiter.ts';

/**
 * The two tests that a customer runs. Each sends one request at once, and is listed among the deliveries. Rejects with a 429 after too many
 * tests of the account.
 */
export interface ReceiverTests {
  /** Sends a sample notification. */
  notification(account: string, address: string, type: SubscriptionType): Promise<TestResult>;
  /** Runs the connection test of a campaign webhook (docs/protocol.md). */
  connection(account: string, address: string): Promise<TestResult>;
}

interface ReceiverTestsDeps {
  readonly client: Pick<ReceiverClient, 'post'>;
  readonly turns: RequestLimiter;
  readonly attempts: Pick<AttemptLog, 'record'>;
  readonly store: Pick<Store, 'listSecrets'>;
  /** Unix milliseconds. */
  readonly now: () => number;
}

export function createReceiverTests(deps: ReceiverTestsDeps): ReceiverTests {
  const sendNow = sendTest(deps);
  const send: typeof sendNow = (account, ...test) => deps.turns.run(account, () => sendNow(account, ...test));
  return {
    notification: (account, address, type) => {
      const sample = { name: type, messageId: `test-${randomUUID()}`, what: 'a test from Mailhook', nowMs: deps.now() };
      const body = sampleNotification(sample);
      return send(account, address, { body, needsBody: false }, (exchange) => notificationOutcome(exchange).error);
    },
    connection: (account, address) => {
      const body = JSON.stringify({ test: 'This is a connection test from Mailhook' });
      return send(account, address, { body, needsBody: true }, connectionTestFault);
    },
  };
}

const sendTest =
  ({ client, attempts, store, now }: ReceiverTestsDeps) =>
  async (
    account: string,
    address: string,
    request: { readonly body: string; readonly needsBody: boolean },
    faultOf: (exchange: ReceiverExchange) => string | undefined,
  ): Promise<TestResult> => {
    const secrets = (await store.listSecrets(account)).map(({ secret }) => secret);
    const id = `test-${randomUUID()}`;
    const sentAtMs = now();
    const headers = deliveryHeaders({ webhookId: id, attempt: 1, secrets }, request.body, sentAtMs);
    const exchange = await client.post({ address, headers, ...request });
    // Nothing was sent, so there is nothing to list.
    if (exchange.type === 'local-fault') return { success: false, message: localFaultMessage(exchange) };
    const fault = faultOf(exchange);
    attempts.record({
      id,
      account,
      time: new Date(sentAtMs).toISOString(),
      kind: 'test',
      eventKeys: [],
      address,
      events: 1,
      attempt: 1,
      status: fault === undefined ? 'delivered' : 'failed',
      durationMs: exchange.durationMs,
      ...(exchange.type === 'reply' ? { httpStatus: exchange.status } : {}),
      ...(fault === undefined ? {} : { error: fault }),
    });
    return fault === undefined ? { success: true } : { success: false, message: capitalized(fault) };
  };
