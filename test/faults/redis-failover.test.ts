import { eventually } from '@mailhook/testing';
import type { CountingReceiver } from './rig/counting-receiver.ts';
import { startCountingReceiver } from './rig/counting-receiver.ts';
import { untilOver } from './rig/engine-state.ts';
import { createLedger } from './rig/ledger.ts';
import type { Customer, Load } from './rig/load.ts';
import { createCustomers, startLoad } from './rig/load.ts';
import { markReplicated } from './rig/mark-replicated.ts';
import { createRandom, runSeed } from './rig/random.ts';
import type { Stack } from './rig/stack.ts';
import { startStack } from './rig/stack.ts';
import { variants } from './rig/variants.ts';

/** How late the producer may see a 202 for events in the old master. */
const REPLY_IN_FLIGHT_MS = 250;
/** With sentinels, it is shorter than the time without a master after a kill. */
const REPLY_IN_FLIGHT_BESIDE_SENTINELS_MS = 1000;

/** Replaces the master. Resolves with how long it took, and for how long the old master still took writes. */
type Replace = (stack: Stack) => Promise<{ readonly promotedMs: number; readonly leftMs: number }>;
const killed: Replace = async (stack) => ({ promotedMs: await stack.failOver(), leftMs: 0 });
const switched: Replace = (stack) => stack.switchOver();

const PLACES = [
  {
    place: 'behind one address',
    servers: { hasReplica: true },
    inFlightMs: REPLY_IN_FLIGHT_MS,
    mayRename: false,
    replacements: [['killed', killed]] as const,
  },
  {
    place: 'behind three sentinels',
    servers: { hasSentinels: true },
    inFlightMs: REPLY_IN_FLIGHT_BESIDE_SENTINELS_MS,
    // The new master does not know of deliveries in the gap, so a repeated job gets new ids.
    mayRename: true,
    replacements: [
      ['killed', killed],
      ['replaced by SENTINEL FAILOVER', switched],
    ] as const,
  },
];

describe.each(variants(PLACES, 1))(
  'Redis $place gets another master, under load of both mechanisms',
  ({ place, servers, inFlightMs, mayRename, replacements }) => {
    const random = createRandom(runSeed());
    const ledger = createLedger();
    /** When each event was accepted, in `performance.now()`. */
    const acceptedAtMs = new Map<string, number>();
    /** Accepted events that replication may have lost. */
    const excused = new Set<string>();
    const quickly = () => ({ delayMs: random.between(10, 60), ...(random.next() < 0.05 ? { status: 500 } : {}) });
    let receiver: CountingReceiver;
    let stack: Stack;
    let customers: readonly Customer[];

    beforeAll(async () => {
      receiver = await startCountingReceiver(ledger, quickly);
      stack = await startStack({
        workers: { 'transactional-notifier': 1, 'campaign-batcher': 1 },
        ...servers,
        env: { RETRY_SCHEDULE: Array.from({ length: 30 }, () => '200ms').join(','), BREAKER_FAILURES: '1000' },
      });
      customers = await createCustomers(stack, receiver.url, 10);
      // The replica must know the customers before the first master dies.
      await stack.untilReplicated();
    }, 120_000);

    afterAll(async () => {
      await stack.close();
      await receiver.close();
    }, 60_000);

    function underLoad(series: string): Load {
      const accept = (keys: readonly string[]): void => {
        for (const key of keys) acceptedAtMs.set(key, performance.now());
        ledger.accept(keys);
      };
      const rates = { everyMs: 100, notifications: 10, campaignEvents: 20 };
      return startLoad({ stack, ledger: { accept }, random, customers, series, ...rates });
    }

    const owed = (): string[] => ledger.missing(Infinity).filter((key) => !excused.has(key));

    async function everythingOwedArrives(): Promise<void> {
      const isWhole = eventually(() => owed().length === 0, { withinMs: 60_000, what: 'all that the replica had' });
      await isWhole.catch(() => expect(owed().slice(0, 10)).toEqual([]));
    }

    const deliveries = (count: number): Promise<true> => {
      const wanted = ledger.delivered + count;
      return eventually(() => ledger.delivered > wanted, { withinMs: 60_000, what: `${count} further deliveries` });
    };

    test.each(replacements.slice(0, 1))(
      'a master that is %s after complete replication: nothing is missing or renamed',
      async (name, replace) => {
        const load = underLoad('rest-');
        await deliveries(300);
        // The last events stay in flight until after the failover.
        receiver.treat(() => ({ delayMs: 2000 }));
        await eventually(() => ledger.outstanding > 20, { withinMs: 30_000, what: 'undelivered events' });
        await load.stop();
        await stack.untilReplicated();
        const before = { outstanding: ledger.outstanding, duplicates: ledger.duplicates };
        const startedAtMs = performance.now();
        const { promotedMs } = await replace(stack);
        receiver.treat(quickly);
        await everythingOwedArrives();
        report(`${name}, replicated`, { ...before, startedAtMs, promotedMs });
        expect(ledger.missing()).toEqual([]);
        expect(ledger.renamed).toEqual([]);
        // Without undelivered events, this test shows nothing.
        expect(before.outstanding).toBeGreaterThan(0);
      },
      180_000,
    );

    test.each(replacements)(
      'a master that is %s under full load: only events accepted after the last known replication may be missing',
      async (name, replace) => {
        const load = underLoad(`${name.replaceAll(/\W/g, '')}-`);
        await deliveries(300);
        const marks = markReplicated(stack);
        await deliveries(300);
        const replicatedUntilMs = await marks.stop();
        const inFlightMax = ledger.outstanding + 2000;
        const before = { outstanding: ledger.outstanding, duplicates: ledger.duplicates };
        const startedAtMs = performance.now();
        const { promotedMs, leftMs } = await replace(stack);
        await deliveries(300);
        await load.stop();
        const untilMs = startedAtMs + leftMs + inFlightMs;
        for (const [key, atMs] of acceptedAtMs) if (atMs >= replicatedUntilMs && atMs <= untilMs) excused.add(key);
        await everythingOwedArrives();
        report(`${name}, under load, no event accepted for ${refusedMs(startedAtMs)} ms`, {
          ...before,
          startedAtMs,
          promotedMs,
        });
        expect(ledger.duplicates - before.duplicates).toBeLessThan(inFlightMax);
        // The excused events must be those of a moment, not most of the load.
        expect(startedAtMs - replicatedUntilMs).toBeLessThan(5000);
      },
      180_000,
    );

    test('no work is left, and the processes still run and stop by request', async () => {
      expect(ledger.renamed.length).toBeLessThanOrEqual(mayRename ? ledger.duplicates : 0);
      expect(stack.endedThemselves).toEqual([]);
      for (const state of Object.values(stack.state)) {
        await untilOver([state]);
        expect((await state.workers()).length).toBe(1);
      }
      const codes = await Promise.all([...stack.workers].map((worker) => stack.stopWorker(worker)));
      expect(codes).toEqual([0, 0]);
      expect(await stack.replaceApi()).toBe(0);
    }, 90_000);

    /** The longest time without an accepted event since then. */
    function refusedMs(sinceMs: number): number {
      const times = [sinceMs, ...[...acceptedAtMs.values()].filter((atMs) => atMs > sinceMs)];
      return Math.round(Math.max(...times.slice(1).map((atMs, i) => atMs - (times[i] ?? atMs))));
    }

    function report(
      name: string,
      then: { outstanding: number; duplicates: number; startedAtMs: number; promotedMs: number },
    ): void {
      const recoveredMs = Math.round(ledger.lastDeliveryAtMs - then.startedAtMs);
      process.stdout.write(
        `redis ${place} (${name}): ${ledger.accepted} accepted, ${then.outstanding} undelivered before, ` +
          `${ledger.outstanding} missing, ${ledger.duplicates - then.duplicates} duplicates, ` +
          `${ledger.renamed.length} renamed; another master after ${then.promotedMs} ms, ` +
          `the last event after ${recoveredMs} ms\n`,
      );
    }
  },
);
