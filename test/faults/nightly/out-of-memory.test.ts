import { cannotLimitMemory, eventually, limitMemory, unlessImpossible } from '@mailhook/testing';
import type { CountingReceiver } from '../rig/counting-receiver.ts';
import { startCountingReceiver } from '../rig/counting-receiver.ts';
import { untilOver } from '../rig/engine-state.ts';
import { createLedger } from '../rig/ledger.ts';
import type { Load } from '../rig/load.ts';
import { createCustomers, startLoad } from '../rig/load.ts';
import { createRandom, runSeed } from '../rig/random.ts';
import type { Stack } from '../rig/stack.ts';
import { startStack } from '../rig/stack.ts';

const WORKERS = ['campaign-batcher', 'transactional-notifier'] as const;

unlessImpossible(describe, cannotLimitMemory())("the kernel's OOM killer ends a process under load", () => {
  const random = createRandom(runSeed());
  const ledger = createLedger();
  let receiver: CountingReceiver;
  let stack: Stack;
  let load: Load;

  beforeAll(async () => {
    receiver = await startCountingReceiver(ledger, () => ({
      delayMs: random.between(10, 60),
      ...(random.next() < 0.05 ? { status: 500 } : {}),
    }));
    stack = await startStack({
      workers: { 'transactional-notifier': 2, 'campaign-batcher': 2 },
      appendfsync: 'always',
      env: { RETRY_SCHEDULE: Array.from({ length: 30 }, () => '200ms').join(','), BREAKER_FAILURES: '1000' },
    });
    const customers = await createCustomers(stack, receiver.url, 10);
    const rates = { everyMs: 50, notifications: 10, campaignEvents: 20 };
    load = startLoad({ stack, ledger, random, customers, series: 'oom', ...rates });
  }, 120_000);

  afterAll(async () => {
    await load.stop();
    await stack.close();
    await receiver.close();
  }, 60_000);

  const deliveries = (count: number): Promise<true> => {
    const wanted = ledger.delivered + count;
    return eventually(() => ledger.delivered > wanted, { withinMs: 60_000, what: `${count} further deliveries` });
  };

  /** Lets the process take no more memory until the kernel kills it. */
  async function killByMemory(name: string, pid: number): Promise<void> {
    const limit = limitMemory(pid);
    await eventually(() => limit.kills() > 0, { withinMs: 60_000, what: `the OOM kill of ${name}` });
    await limit.remove();
  }

  /** Resolves when all events that were undelivered at the kill have arrived. */
  async function report(name: string, duplicates: number): Promise<void> {
    const [undelivered, caughtUpMs] = [ledger.outstanding, await ledger.caughtUp()];
    process.stdout.write(
      `out of memory (${name}): ${ledger.accepted} accepted, ${undelivered} undelivered at the kill arrived within ` +
        `${caughtUpMs} ms, ${ledger.duplicates - duplicates} duplicates\n`,
    );
  }

  test.each(WORKERS)(
    'a %s is killed: the other one takes over',
    async (name) => {
      await deliveries(300);
      const worker = stack.workers.find((one) => one.name === name)!;
      const { duplicates } = ledger;
      await killByMemory(name, worker.process.pid);
      await stack.killWorker(worker);
      await report(name, duplicates);
      await stack.startWorker(name);
    },
    120_000,
  );

  test('Redis with appendfsync always: deliveries go on after its restart', async () => {
    await deliveries(300);
    const { duplicates } = ledger;
    await killByMemory('Redis', stack.redis.pid);
    await eventually(() => stack.redis.restart().then(() => true), { withinMs: 30_000, what: 'Redis again' });
    await report('Redis', duplicates);
  }, 120_000);

  test('no event is missing or renamed, no work is left, and no other process ended', async () => {
    await deliveries(300);
    await load.stop();
    await ledger.untilWhole(60_000);
    expect(ledger.renamed).toEqual([]);
    await untilOver(Object.values(stack.state));
    expect(stack.endedThemselves.filter((words) => !words.includes('SIGKILL'))).toEqual([]);
  }, 150_000);
});
