import { eventually } from '@mailhook/testing';
import { startCountingReceiver } from './rig/counting-receiver.ts';
import { createLedger } from './rig/ledger.ts';
import { createCustomers, startLoad } from './rig/load.ts';
import { createRandom, runSeed } from './rig/random.ts';
import { startStack } from './rig/stack.ts';

/**
 * Without Redis, BullMQ's own `close` never ends. It waits for a connection that ends between two attempts to connect
 * and never reports its end.
 */
test('services that stop while Redis is down exit with 0, and accepted events arrive afterwards', async () => {
  const random = createRandom(runSeed());
  const ledger = createLedger();
  const receiver = await startCountingReceiver(ledger);
  const stack = await startStack({
    workers: { 'transactional-notifier': 1, 'campaign-batcher': 1 },
    env: { DELIVERY_TIMEOUT_MS: '1000' },
  });
  try {
    const customers = await createCustomers(stack, receiver.url, 3);
    const load = startLoad({
      stack,
      ledger,
      random,
      customers,
      series: 'stop',
      everyMs: 50,
      notifications: 5,
      campaignEvents: 5,
    });
    await eventually(() => ledger.delivered > 100, { withinMs: 30_000, what: 'deliveries in progress' });
    await stack.redis.kill();
    const workers = [...stack.workers];
    const codes = await Promise.all([...workers.map((worker) => stack.stopWorker(worker)), stack.api.stop()]);
    expect(codes).toEqual([0, 0, 0]);
    await stack.redis.restart();
    await load.stop();
    await stack.restartApi();
    await Promise.all(workers.map(({ name }) => stack.startWorker(name)));
    await ledger.untilWhole(30_000);
    expect(ledger.renamed).toEqual([]);
  } finally {
    await stack.close();
    await receiver.close();
  }
}, 120_000);
