import { eventually } from '@mailhook/testing';
import type { CountingReceiver } from '../rig/counting-receiver.ts';
import { startCountingReceiver } from '../rig/counting-receiver.ts';
import { untilOver } from '../rig/engine-state.ts';
import { explainRepeats } from '../rig/explain-repeats.ts';
import type { FaultReport } from '../rig/fault-report.ts';
import { WORKER_NAMES } from '../rig/fault-report.ts';
import type { FaultName } from '../rig/faults.ts';
import { inflictFault } from '../rig/faults.ts';
import { createLedger } from '../rig/ledger.ts';
import type { Customer, Load } from '../rig/load.ts';
import { createCustomers, startLoad } from '../rig/load.ts';
import { createRandom, runSeed } from '../rig/random.ts';
import type { Stack } from '../rig/stack.ts';
import { startStack } from '../rig/stack.ts';
import { freeze } from '../rig/worker-faults.ts';

/** These faults kill 20 processes in all. */
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
/** The most notifications that a destination has in flight. */
const NOTIFICATIONS_IN_FLIGHT_MAX = 16;

/** The most repairs that these faults explain, by kind of repair. */
function explainedRepairs(faults: readonly FaultReport[]): Readonly<Record<string, number>> {
  const inFlight = faults.flatMap(({ eventsOf }) => [...eventsOf.values()]).reduce((sum, events) => sum + events, 0);
  return {
    // A worker or its connection died after writing a failed batch and before adding its wake-up job. That batch was in
    // flight.
    resend: inFlight,
    // A fault may lose the replies to claims, at most one claim per destination.
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
    // The receiver is slow enough that something is always in flight. It refuses one request in 20, so that there are
    // resends too.
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
  const everythingArrives = (): Promise<void> => ledger.untilWhole(60_000);

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

  test('only killed processes ended', () => {
    expect(stack.endedThemselves).toEqual([]);
  });

  test('every duplicate was in flight at a fault, and arrived under the same webhook-id', () => {
    process.stdout.write(
      `random faults: ${ledger.accepted} accepted, ${ledger.delivered} delivered, ${ledger.duplicates} duplicates, ` +
        `${load.refused} requests refused, repairs ${JSON.stringify([...stack.repairs])}\n`,
    );
    expect(ledger.renamed).toEqual([]);
    expect(explainRepeats(ledger.repeats, reports, customers).unexplained).toEqual([]);
  });

  test('no work is left: no events, owners, resends or chunks', async () => {
    await untilOver(Object.values(stack.state));
  }, 60_000);

  test('the reconciler repaired only what these faults explain', () => {
    expectOnlyExplainedRepairs(reports);
    stack.repairs.clear();
  });

  test('a worker that is asked to stop exits with code 0 and causes no duplicates', async () => {
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

  test('all workers are killed: nothing is missing, only those in flight arrive twice, older ones first', async () => {
    // The most older notifications of a destination that were undelivered when one from after the kill arrived.
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
    // The load goes on meanwhile.
    await Promise.all(WORKER_NAMES.map((name) => stack.startWorker(name)));
    await load.stop();
    // Several chunks are appended at a time. One that a killed worker had begun is appended when BullMQ notices, after
    // newer ones.
    const late = await stack.state['transactional-notifier'].notAppended();
    load = underLoad('after');
    await eventually(() => ledger.outstanding === 0, { withinMs: 60_000, what: 'a moment without undelivered events' });
    await load.stop();
    await everythingArrives();
    const inFlight = frozen.reduce((sum, { events }) => sum + events, 0);
    process.stdout.write(
      `recovery: ${ledger.duplicates - duplicates} duplicates, ${inFlight} events in flight, at most ${overtaken} ` +
        `overtaken, ${late} not appended before\n`,
    );
    expect(ledger.duplicates - duplicates).toBeLessThanOrEqual(inFlight);
    expect(overtaken).toBeLessThanOrEqual(NOTIFICATIONS_IN_FLIGHT_MAX + late);
    expect(ledger.renamed).toEqual([]);
    expectOnlyExplainedRepairs(reports);
  }, 120_000);
});
