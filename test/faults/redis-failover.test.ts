import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '@mailhook/testing';
import type { CountingReceiver } from './rig/counting-receiver.ts';
import { startCountingReceiver } from './rig/counting-receiver.ts';
import { isOver } from './rig/engine-state.ts';
import { createLedger } from './rig/ledger.ts';
import type { Customer, Load } from './rig/load.ts';
import { createCustomers, startLoad } from './rig/load.ts';
import { createRandom, runSeed } from './rig/random.ts';
import type { Stack } from './rig/stack.ts';
import { startStack } from './rig/stack.ts';
import { variants } from './rig/variants.ts';

/** How late the producer may see a 202 that the api sent before the master was killed. */
const REPLY_IN_FLIGHT_MS = 250;

describe('Redis behind one address fails over to its replica, under load of both mechanisms', () => {
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
      workers: { 'transactional-notifier': 2, 'campaign-batcher': 2 },
      hasReplica: true,
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
    const rates = { everyMs: 50, notifications: 10, campaignEvents: 20 };
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

  test.each(variants([1, 2], 1))(
    'failover %i after complete replication: nothing is missing',
    async (time) => {
      const load = underLoad(`rest${time}-`);
      await deliveries(300);
      // The last events stay in flight until after the failover.
      receiver.treat(() => ({ delayMs: 2000 }));
      await eventually(() => ledger.outstanding > 20, { withinMs: 30_000, what: 'undelivered events' });
      await load.stop();
      await stack.untilReplicated();
      const [outstanding, duplicates, startedAtMs] = [ledger.outstanding, ledger.duplicates, performance.now()];
      await stack.failOver();
      receiver.treat(quickly);
      await everythingOwedArrives();
      report(`replicated ${time}`, { outstanding, duplicates, startedAtMs });
      expect(ledger.missing()).toEqual([]);
      // Without undelivered events, this test shows nothing.
      expect(outstanding).toBeGreaterThan(0);
    },
    180_000,
  );

  test.each(variants([1, 2], 1))(
    'failover %i under full load: only events accepted after the last known replication may be missing',
    async (time) => {
      const load = underLoad(`load${time}-`);
      await deliveries(500);
      const marks = markReplicated();
      await deliveries(500);
      const replicatedUntilMs = await marks.stop();
      const [outstanding, duplicates, startedAtMs] = [ledger.outstanding, ledger.duplicates, performance.now()];
      const promotedMs = await stack.failOver();
      await deliveries(500);
      await load.stop();
      for (const [key, atMs] of acceptedAtMs)
        if (atMs >= replicatedUntilMs && atMs <= startedAtMs + REPLY_IN_FLIGHT_MS) excused.add(key);
      await everythingOwedArrives();
      report(`under load ${time}, promoted after ${promotedMs} ms`, { outstanding, duplicates, startedAtMs });
      // The excused events must be those of a moment, not most of the load.
      expect(startedAtMs - replicatedUntilMs).toBeLessThan(REPLY_IN_FLIGHT_MS * 20);
    },
    180_000,
  );

  test('no event arrived under two webhook-ids, and no process ended', () => {
    expect(ledger.renamed).toEqual([]);
    expect(stack.endedThemselves).toEqual([]);
  });

  test('no work is left: no events, owners, resends or chunks', async () => {
    for (const state of Object.values(stack.state)) {
      await eventually(async () => isOver(await state.remains()), { withinMs: 30_000, what: 'the end of all work' });
      expect((await state.workers()).length).toBe(2);
    }
  }, 60_000);

  /**
   * Checks continuously whether the replica has everything. `stop` resolves with the last time at which it had, in
   * `performance.now()`.
   */
  function markReplicated(): { stop(): Promise<number> } {
    let lastMs = performance.now();
    const over = new AbortController();
    const marking = (async () => {
      while (!over.signal.aborted) {
        const askedAtMs = performance.now();
        await stack.untilReplicated();
        lastMs = askedAtMs;
        await wait(10);
      }
    })();
    return {
      stop: async () => {
        over.abort();
        await marking;
        return lastMs;
      },
    };
  }

  function report(name: string, then: { outstanding: number; duplicates: number; startedAtMs: number }): void {
    const recoveredMs = Math.round(ledger.lastDeliveryAtMs - then.startedAtMs);
    process.stdout.write(
      `redis failover (${name}): ${ledger.accepted} accepted, ${then.outstanding} undelivered at the kill, ${ledger.outstanding} missing, ${ledger.duplicates - then.duplicates} duplicates, ${ledger.renamed.length} renamed; the last event arrived ${recoveredMs} ms after the kill\n`,
    );
  }
});
