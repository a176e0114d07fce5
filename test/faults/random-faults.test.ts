import { eventually } from '@mailhook/testing';
import type { CountingReceiver } from './rig/counting-receiver.ts';
import { startCountingReceiver } from './rig/counting-receiver.ts';
import { isOver } from './rig/engine-state.ts';
import { explainRepeats } from './rig/explain-repeats.ts';
import type { FaultReport } from './rig/fault-report.ts';
import { WORKER_NAMES } from './rig/fault-report.ts';
import type { FaultName } from './rig/faults.ts';
import { inflictFault } from './rig/faults.ts';
import { createLedger } from './rig/ledger.ts';
import type { Customer, Load } from './rig/load.ts';
import { createCustomers, startLoad } from './rig/load.ts';
import { createRandom, runSeed } from './rig/random.ts';
import type { Stack } from './rig/stack.ts';
import { startStack } from './rig/stack.ts';
import { freeze } from './rig/worker-faults.ts';

/** 20 processes are killed in all. */
const PLAN: readonly FaultName[] = [
  ...Array.from({ length: 3 }, () => 'kill notifier' as const),
  ...Array.from({ length: 3 }, () => 'kill batcher' as const),
  ...Array.from({ length: 4 }, () => 'kill two' as const),
  ...Array.from({ length: 3 }, () => 'kill api' as const),
  ...Array.from({ length: 3 }, () => 'kill redis' as const),
  ...Array.from({ length: 3 }, () => 'cut redis' as const),
  'stall worker',
  'stall worker',
  'pause redis',
  'partition worker',
  'slow redis',
];

const CUSTOMERS = 10;
/** Per destination. */
const NOTIFICATIONS_IN_FLIGHT_MAX = 16;

/** How many repairs of the reconciler these faults explain at most, by repair. */
function explainedRepairs(faults: readonly FaultReport[]): Readonly<Record<string, number>> {
  const inFlight = faults.flatMap(({ eventsOf }) => [...eventsOf.values()]).reduce((sum, events) => sum + events, 0);
  return {
    // A worker or its connection died between writing a failed batch and adding its wake-up job. That batch was in flight.
    resend: inFlight,
    // The replies to claims were lost with a connection to Redis. All destinations together are claimed once.
    ownership: faults.length * 2 * CUSTOMERS,
  };
}

describe('faults at random times under load, both mechanisms, 20 destinations', () => {
  const random = createRandom(runSeed());
  const ledger = createLedger();
  let receiver: CountingReceiver;
  let stack: Stack;
  let customers: readonly Customer[];
  let load: Load;
  const reports: FaultReport[] = [];

  beforeAll(async () => {
    process.stdout.write(`random faults: FAULTS_SEED=${random.seed}\n`);
    // Slow enough that something is always in flight; one request in 20 is refused, so that resends are under way too.
    receiver = await startCountingReceiver(ledger, (path, { firstKey, attempt }) => {
      const own = random.about(`${path} ${firstKey} ${attempt}`);
      return { delayMs: own.between(10, 60), ...(own.next() < 0.05 ? { status: 500 } : {}) };
    });
    stack = await startStack({
      workers: { 'transactional-notifier': 2, 'campaign-batcher': 2 },
      env: { RETRY_SCHEDULE: Array.from({ length: 30 }, () => '200ms').join(','), BREAKER_FAILURES: '1000' },
    });
    customers = await createCustomers(stack, receiver.url, CUSTOMERS);
    load = underLoad('faults');
  }, 120_000);

  const underLoad = (series: string): Load =>
    startLoad({ stack, ledger, random, customers, series, everyMs: 100, notifications: 10, campaignEvents: 20 });
  const everythingArrives = (): Promise<true> =>
    eventually(() => ledger.outstanding === 0, {
      withinMs: 60_000,
      what: `all ${ledger.accepted} accepted events (such as ${ledger.missing(3).join(', ')})`,
    });

  afterAll(async () => {
    await load.stop();
    await stack.close();
    await receiver.close();
  }, 90_000);

  const expectOnlyExplainedRepairs = (faults: readonly FaultReport[]): void => {
    const explained = explainedRepairs(faults);
    expect([...stack.repairs].filter(([repair, count]) => count > (explained[repair] ?? 0))).toEqual([]);
  };

  test('20 kills, cuts, stalls, a pause, a partition and a slow Redis, each with events in flight', async () => {
    const restarts: Promise<unknown>[] = [];
    const onRestart = (restart: Promise<unknown>): void => void restarts.push(restart);
    const plan = random.about('plan');
    for (const fault of plan.shuffled(PLAN)) {
      const wanted = ledger.delivered + plan.between(1, 100);
      await eventually(() => ledger.delivered >= wanted, { withinMs: 60_000, what: `deliveries before: ${fault}` });
      reports.push(await inflictFault(fault, { stack, ledger, load, random: plan, onRestart }));
    }
    await Promise.all(restarts);
    expect(reports.reduce((sum, { kills }) => sum + kills, 0)).toBe(20);
    expect(reports.filter(({ inFlight }) => inFlight === 0)).toEqual([]);
  }, 300_000);

  test('while Redis was paused, no event got a 202', () => {
    const paused = reports.filter(({ acceptedDuring }) => acceptedDuring !== undefined);
    expect(paused.map(({ acceptedDuring }) => acceptedDuring)).toEqual([0]);
  });

  test('every event that got a 202 arrived', async () => {
    await load.stop();
    await everythingArrives();
    expect(ledger.accepted).toBeGreaterThan(500);
  }, 90_000);

  test('no process ended but those that were killed', () => {
    expect(stack.endedThemselves).toEqual([]);
  });

  test('every event that came twice was in flight at a fault, and came under the same webhook-id', () => {
    process.stdout.write(
      `random faults: ${ledger.accepted} accepted, ${ledger.delivered} delivered, ${ledger.duplicates} duplicates, ${load.refused} requests refused, repairs ${JSON.stringify([...stack.repairs])}\n`,
    );
    expect(ledger.renamed).toEqual([]);
    expect(explainRepeats(ledger.repeats, reports, customers).unexplained).toEqual([]);
  });

  test('nothing is left: no events, owners, resends or chunks', async () => {
    for (const state of Object.values(stack.state)) {
      await eventually(async () => isOver(await state.remains()), { withinMs: 30_000, what: 'the end of all work' });
    }
  }, 60_000);

  test('the reconciler found only what these faults explain', () => {
    expectOnlyExplainedRepairs(reports);
    stack.repairs.clear();
  });

  test('a worker that is asked to stop ends with 0, and nothing comes twice for it', async () => {
    load = underLoad('stop');
    const before = { delivered: ledger.delivered, duplicates: ledger.duplicates };
    await eventually(() => ledger.delivered > before.delivered + 50, {
      withinMs: 30_000,
      what: 'deliveries in progress',
    });
    const leaving = WORKER_NAMES.map((name) => stack.workers.find((worker) => worker.name === name)!);
    expect(await Promise.all(leaving.map((worker) => stack.stopWorker(worker)))).toEqual([0, 0]);
    await load.stop();
    await everythingArrives();
    expect(ledger.duplicates).toBe(before.duplicates);
  }, 90_000);

  test('the only workers are killed and started again: nothing missing, nothing twice but what was in flight, older events first', async () => {
    // How many older notifications of the same destination were undelivered when one from after the kill arrived, at most.
    let overtaken = 0;
    receiver.treat((path, { firstKey }) => {
      const older = firstKey.includes('<after') ? ledger.missing(Infinity) : [];
      overtaken = Math.max(overtaken, older.filter((key) => key.startsWith(`${path} <recovery`)).length);
      return { delayMs: 20 };
    });
    load = underLoad('recovery');
    const delivered = ledger.delivered + 100;
    await eventually(() => ledger.delivered > delivered, { withinMs: 30_000, what: 'deliveries in progress' });
    const { duplicates } = ledger;
    const frozen = [];
    for (const name of WORKER_NAMES) frozen.push(await freeze({ stack, random }, name));
    await Promise.all(frozen.map(({ worker }) => stack.killWorker(worker)));
    // Events are accepted all the time.
    await Promise.all(WORKER_NAMES.map((name) => stack.startWorker(name)));
    await load.stop();
    load = underLoad('after');
    await eventually(() => ledger.outstanding === 0, { withinMs: 60_000, what: 'a moment without undelivered events' });
    await load.stop();
    await everythingArrives();
    const inFlight = frozen.reduce((sum, { events }) => sum + events, 0);
    process.stdout.write(
      `recovery: ${ledger.duplicates - duplicates} duplicates, ${inFlight} events in flight, at most ${overtaken} overtaken\n`,
    );
    expect(ledger.duplicates - duplicates).toBeLessThanOrEqual(inFlight);
    expect(overtaken).toBeLessThanOrEqual(NOTIFICATIONS_IN_FLIGHT_MAX);
    expect(ledger.renamed).toEqual([]);
    expectOnlyExplainedRepairs(reports);
  }, 120_000);
});
