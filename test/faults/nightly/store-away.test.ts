import { eventually, startMongod, unlessMissing } from '@mailhook/testing';
import type { TestMongod } from '@mailhook/testing';
import { startCountingReceiver } from '../rig/counting-receiver.ts';
import type { CountingReceiver } from '../rig/counting-receiver.ts';
import { untilOver } from '../rig/engine-state.ts';
import { inflictFault } from '../rig/faults.ts';
import { createLedger } from '../rig/ledger.ts';
import { createCustomers, startLoad } from '../rig/load.ts';
import type { Load } from '../rig/load.ts';
import { createRandom, runSeed } from '../rig/random.ts';
import { startStack } from '../rig/stack.ts';
import type { Stack } from '../rig/stack.ts';

unlessMissing(describe, 'mongod')('MongoDB is killed under load, and workers die while it is down', () => {
  const random = createRandom(runSeed());
  const ledger = createLedger();
  let mongod: TestMongod;
  let receiver: CountingReceiver;
  let stack: Stack;
  let load: Load;

  beforeAll(async () => {
    mongod = await startMongod();
    receiver = await startCountingReceiver(ledger, () => ({
      delayMs: random.between(10, 60),
      ...(random.next() < 0.05 ? { status: 500 } : {}),
    }));
    stack = await startStack({
      workers: { 'transactional-notifier': 1, 'campaign-batcher': 1 },
      env: {
        MONGO_URL: `${mongod.url}/mailhook`,
        RETRY_SCHEDULE: Array.from({ length: 30 }, () => '200ms').join(','),
        BREAKER_FAILURES: '1000',
      },
    });
    const customers = await createCustomers(stack, receiver.url, 10);
    const rates = { everyMs: 100, notifications: 10, campaignEvents: 20 };
    load = startLoad({ stack, ledger, random, customers, series: 'store', ...rates });
    await eventually(() => ledger.delivered > 500, { withinMs: 30_000, what: 'mail to every customer' });
  }, 120_000);

  afterAll(async () => {
    await load.stop();
    await stack.close();
    await receiver.close();
    await mongod.stop();
  }, 60_000);

  test('intake and delivery go on for known accounts, even when workers are killed', async () => {
    const { refused } = load;
    await mongod.kill();
    const restarts: Promise<unknown>[] = [];
    const deps = { stack, ledger, load, random, onRestart: (restart: Promise<unknown>) => void restarts.push(restart) };
    for (const fault of ['kill notifier', 'kill batcher', 'cut redis'] as const) {
      const wanted = ledger.delivered + 200;
      await inflictFault(fault, deps);
      await eventually(() => ledger.delivered > wanted, { withinMs: 60_000, what: `deliveries after: ${fault}` });
    }
    await Promise.all(restarts);
    expect(load.refused).toBe(refused);
  }, 120_000);

  test('with MongoDB back, every event that got a 202 has arrived, and no work is left', async () => {
    await mongod.restart();
    await load.stop();
    await ledger.untilWhole(60_000);
    await untilOver(Object.values(stack.state));
    expect(ledger.renamed).toEqual([]);
    expect(stack.endedThemselves).toEqual([]);
  }, 120_000);
});
