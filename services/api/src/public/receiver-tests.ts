import { randomUUID } from 'node:crypto';
import { capitalised, connectionTestFault, notificationFragment, notificationOutcome } from '@mailhook/core';
import type { Exchange, Store, SubscriptionType, TestResult, TransactionalEvent } from '@mailhook/core';
import { deliveryHeaders } from '@mailhook/delivery';
import type { AttemptLog, ReceiverClient } from '@mailhook/delivery';

/** The two tests that a customer runs. Their requests leave from here, at once and once, and are listed among the deliveries. */
export interface ReceiverTests {
  /** Endpoint 6: a sample notification (spec, "Events", mechanism A). */
  notification(account: string, address: string, type: SubscriptionType): Promise<TestResult>;
  /** The connection test of mechanism B (spec, "Receiver endpoints"). */
  connection(account: string, address: string): Promise<TestResult>;
}

interface ReceiverTestsDeps {
  readonly client: Pick<ReceiverClient, 'post'>;
  readonly attempts: Pick<AttemptLog, 'record'>;
  readonly store: Pick<Store, 'listSecrets'>;
  /** Unix milliseconds. */
  readonly now: () => number;
}

export function createReceiverTests(deps: ReceiverTestsDeps): ReceiverTests {
  const send = sendTest(deps);
  return {
    notification: (account, address, type) => {
      const body = notificationFragment(sampleEvent(account, type, deps.now()));
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
    faultOf: (exchange: Exchange) => string | undefined,
  ): Promise<TestResult> => {
    const secrets = (await store.listSecrets(account)).map(({ secret }) => secret);
    const id = `test-${randomUUID()}`;
    const sentAtMs = now();
    const headers = deliveryHeaders({ webhookId: id, attempt: 1, secrets }, request.body, sentAtMs);
    const exchange = await client.post({ address, headers, ...request });
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
    return fault === undefined ? { success: true } : { success: false, message: capitalised(fault) };
  };

/** Addresses and names that are reserved for documentation (RFC 5737, RFC 2606). */
function sampleEvent(account: string, name: SubscriptionType, nowMs: number): TransactionalEvent {
  const common = {
    account,
    module: 'transactional_email',
    messageId: `test-${randomUUID()}`,
    time: Math.floor(nowMs / 1000),
  } as const;
  switch (name) {
    case 'open':
      return { ...common, name, ip: '192.0.2.1' };
    case 'click':
      return {
        ...common,
        name,
        ip: '192.0.2.1',
        userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
        url: 'https://www.example.com/',
      };
    case 'bounce':
      return { ...common, name, type: 'hard', reason: '550 5.1.1 The mailbox does not exist (a test from Mailhook)' };
  }
}
