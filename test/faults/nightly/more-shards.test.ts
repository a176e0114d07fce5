import { eventually, startMongod, unlessMissing } from '@mailhook/testing';
import type { TestMongod } from '@mailhook/testing';
import { startCountingReceiver } from '../rig/counting-receiver.ts';
import type { CountingReceiver } from '../rig/counting-receiver.ts';
import { isOver } from '../rig/engine-state.ts';
import { PATIENCE_MS } from '../rig/fault-report.ts';
import { createLedger } from '../rig/ledger.ts';
import { createCustomers, startLoad } from '../rig/load.ts';
import type { Customer, Load } from '../rig/load.ts';
import { createRandom, runSeed } from '../rig/random.ts';
import { startStack } from '../rig/stack.ts';
import type { Stack } from '../rig/stack.ts';

const WAITING = 2000;

/** The procedure of docs/scaling.md: a second installation with the same MongoDB, and another Redis. */
unlessMissing(describe, 'mongod')('an installation moves to another number of shards while events wait', () => {
  const random = createRandom(runSeed());
  const ledger = createLedger();
  const stacks: Stack[] = [];
  let mongod: TestMongod;
  let receiver: CountingReceiver;
  let load: Load | undefined;
  let isUp = false;

  beforeAll(async () => {
    mongod = await startMongod();
    receiver = await startCountingReceiver(ledger, () => ({ delayMs: 0, ...(isUp ? {} : { status: 503 }) }));
  }, 120_000);
  afterAll(async () => {
    await load?.stop();
    await Promise.all(stacks.map((stack) => stack.close()));
    await receiver.close();
    await mongod.stop();
  }, 90_000);

  const start = async (shards: number): Promise<Stack> => {
    const stack = await startStack({
      workers: { 'transactional-notifier': 1, 'campaign-batcher': 1 },
      env: {
        MONGO_URL: `${mongod.url}/mailhook`,
        QUEUE_SHARDS: String(shards),
        RETRY_SCHEDULE: Array.from({ length: 200 }, () => '500ms').join(','),
        BREAKER_FAILURES: '1000',
      },
    });
    stacks.push(stack);
    return stack;
  };
  const produce = (stack: Stack, customers: readonly Customer[], series: string): Load => {
    const rates = { everyMs: 50, notifications: 20, campaignEvents: 40 };
    return startLoad({ stack, ledger, random, customers, series, ...rates });
  };
  const accepted = (count: number) =>
    eventually(() => ledger.accepted >= count, { withinMs: PATIENCE_MS, what: `${count} accepted events` });

  test('each event is delivered once, by the installation that accepted it', async () => {
    const old = await start(1);
    const customers = await createCustomers(old, receiver.url, 10);
    load = produce(old, customers, 'before');
    await accepted(WAITING);
    const next = await start(4);
    await load.stop();
    load = produce(next, customers, 'after');
    const before = ledger.accepted;
    await accepted(before + WAITING);
    isUp = true;
    const startedAtMs = performance.now();
    await load.stop();
    await ledger.untilWhole(PATIENCE_MS);
    const isEmpty = async (): Promise<boolean> =>
      (await Promise.all(Object.values(old.state).map((state) => state.remains()))).every(isOver);
    await eventually(isEmpty, { withinMs: PATIENCE_MS, what: 'an old installation without work' });
    process.stdout.write(
      `another number of shards: ${before} events waited in the old installation and ${ledger.accepted - before} ` +
        `in the new one, all were delivered after ${Math.round(ledger.lastDeliveryAtMs - startedAtMs)} ms, ` +
        `${ledger.duplicates} twice, ${load.refused} requests refused\n`,
    );
    expect(before).toBeGreaterThanOrEqual(WAITING);
    expect(ledger.duplicates).toBe(0);
    expect(load.refused).toBe(0);
    expect(stacks.flatMap(({ endedThemselves }) => endedThemselves)).toEqual([]);
  }, 180_000);
});
