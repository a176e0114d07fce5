import { eventually } from '@mailhook/testing';
import { startCountingReceiver } from '../rig/counting-receiver.ts';
import type { CountingReceiver } from '../rig/counting-receiver.ts';
import { untilOver } from '../rig/engine-state.ts';
import { WORKER_NAMES } from '../rig/fault-report.ts';
import { createLedger } from '../rig/ledger.ts';
import { createCustomers, startLoad } from '../rig/load.ts';
import type { Load } from '../rig/load.ts';
import { createRandom, runSeed } from '../rig/random.ts';
import { startStack } from '../rig/stack.ts';
import type { Stack } from '../rig/stack.ts';

describe('every process is replaced under load, as in a rolling update of the Deployments', () => {
  const random = createRandom(runSeed());
  const ledger = createLedger();
  const faults: object[] = [];
  let receiver: CountingReceiver;
  let stack: Stack;
  let load: Load;

  beforeAll(async () => {
    receiver = await startCountingReceiver(ledger, () => ({ delayMs: random.between(10, 60) }));
    stack = await startStack({
      workers: { 'transactional-notifier': 2, 'campaign-batcher': 2 },
      onLine: (name, line) => {
        if (line['level'] === 'error') faults.push({ name, ...line });
      },
    });
    const customers = await createCustomers(stack, receiver.url, 10);
    const rates = { everyMs: 100, notifications: 4, campaignEvents: 8 };
    load = startLoad({ stack, ledger, random, customers, series: 'roll', ...rates });
    await underWay();
  }, 120_000);

  const underWay = async (): Promise<void> => {
    const wanted = ledger.delivered + 100;
    await eventually(() => ledger.delivered >= wanted, { withinMs: 30_000, what: 'deliveries in progress' });
  };

  afterAll(async () => {
    await load.stop();
    await stack.close();
    await receiver.close();
  }, 60_000);

  test('each worker: a new one starts beside it, and the old one exits with code 0', async () => {
    for (const name of WORKER_NAMES) {
      for (const old of stack.workers.filter((worker) => worker.name === name)) {
        await stack.startWorker(name);
        await underWay();
        expect({ code: await stack.stopWorker(old), faults }).toEqual({ code: 0, faults: [] });
        await underWay();
      }
    }
  }, 240_000);

  test('the api: a new one starts beside it, the old one answers its requests in flight and exits with 0', async () => {
    expect({ code: await stack.replaceApi(), faults }).toEqual({ code: 0, faults: [] });
    await underWay();
    expect(load.refused).toBe(0);
  }, 120_000);

  test('every event that got a 202 arrived, and none arrived twice', async () => {
    await load.stop();
    await ledger.untilWhole(60_000);
    process.stdout.write(
      `rolling restart: ${ledger.accepted} accepted, ${ledger.delivered} delivered, ${ledger.duplicates} duplicates, ` +
        `${load.refused} requests refused; greatest delay of an event ${ledger.greatestDelayMs} ms\n`,
    );
    expect(ledger.accepted).toBeGreaterThan(500);
    expect(ledger.duplicates).toBe(0);
  }, 90_000);

  test('no work is left, nothing had to be repaired, and only processes that were asked to stop ended', async () => {
    await untilOver(Object.values(stack.state));
    expect([...stack.repairs]).toEqual([]);
    expect(stack.endedThemselves).toEqual([]);
  }, 90_000);
});
