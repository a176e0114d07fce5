import { startReceiver } from '@mailhook/testing';
import { createCustomers } from './rig/load.ts';
import { startStack } from './rig/stack.ts';

/** Above the default 15 s for a stop. Longer deliveries must not make a stop unclean. */
const DELIVERY_TIMEOUT_MS = 16_000;

test('workers that are asked to stop wait as long as a delivery may take, and exit with code 0', async () => {
  const receiver = await startReceiver({ reply: () => ({ hang: 'reply' }) });
  const late: string[] = [];
  const stack = await startStack({
    workers: { 'transactional-notifier': 1, 'campaign-batcher': 1 },
    env: { DELIVERY_TIMEOUT_MS: String(DELIVERY_TIMEOUT_MS) },
    onLine: (name, { level, message }) => {
      if (level === 'error') late.push(`${name}: ${message}`);
    },
  });
  try {
    const [customer] = await createCustomers(stack, receiver.url, 1);
    const account = customer!.account;
    const common = { account, url: 'https://example.com/', ip: '192.0.2.1', userAgent: 'x' };
    const reply = await fetch(`${stack.baseUrl}/v3/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stack.producerToken}`, 'content-type': 'application/json' },
      body: JSON.stringify([
        { ...common, module: 'transactional_email', name: 'open', messageId: 'm', time: 1_700_000_000 },
        { account, module: 'campaign', event: 'open', campaign: 'abcdefghij', email: 'a@example.com', timestamp: 1 },
      ]),
    });
    expect(reply.status).toBe(202);
    await receiver.waitForRequests(2);
    const sentAtMs = performance.now();
    const codes = await Promise.all([...stack.workers].map((worker) => stack.stopWorker(worker)));
    expect([codes, late]).toEqual([[0, 0], []]);
    // The workers must have waited for the receiver.
    expect(performance.now() - sentAtMs).toBeGreaterThan(15_000);
  } finally {
    await stack.close();
    await receiver.close();
  }
}, 90_000);
