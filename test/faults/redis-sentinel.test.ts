import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '@mailhook/testing';
import type { CountingReceiver } from './rig/counting-receiver.ts';
import { startCountingReceiver } from './rig/counting-receiver.ts';
import { isOver } from './rig/engine-state.ts';
import { createLedger } from './rig/ledger.ts';
import type { Customer } from './rig/load.ts';
import { createCustomers, startLoad } from './rig/load.ts';
import { createRandom, runSeed } from './rig/random.ts';
import type { Stack } from './rig/stack.ts';
import { startStack } from './rig/stack.ts';

/**
 * How late the producer may see a 202 for events in the old master. Shorter than the time without a master after a
 * kill.
 */
const REPLY_IN_FLIGHT_MS = 1000;

describe('Redis behind three sentinels gets another master, under load of both mechanisms', () => {
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
      hasSentinels: true,
      env: { RETRY_SCHEDULE: Array.from({ length: 30 }, () => '200ms').join(','), BREAKER_FAILURES: '1000' },
    });
    customers = await createCustomers(stack, receiver.url, 10);
    await stack.untilReplicated();
  }, 120_000);

  afterAll(async () => {
    await stack.close();
    await receiver.close();
  }, 60_000);

  const owed = (): string[] => ledger.missing(Infinity).filter((key) => !excused.has(key));
  const deliveries = (count: number): Promise<true> => {
    const wanted = ledger.delivered + count;
    return eventually(() => ledger.delivered > wanted, { withinMs: 60_000, what: `${count} further deliveries` });
  };

  test.each([
    ['killed', async () => ({ promotedMs: await stack.failOver(), leftMs: 0 })],
    ['replaced by SENTINEL FAILOVER', () => stack.switchOver()],
  ])(
    'a master that is %s: only events accepted after the last known replication may be missing',
    async (name, replace) => {
      const load = startLoad({
        stack,
        random,
        customers,
        series: `${name.replaceAll(/\W/g, '')}-`,
        everyMs: 50,
        notifications: 10,
        campaignEvents: 20,
        ledger: {
          accept: (keys) => {
            for (const key of keys) acceptedAtMs.set(key, performance.now());
            ledger.accept(keys);
          },
        },
      });
      await deliveries(500);
      const marks = markReplicated();
      await deliveries(500);
      const replicatedUntilMs = await marks.stop();
      const inFlightMax = ledger.outstanding + 2000;
      const before = { duplicates: ledger.duplicates, missing: new Set(ledger.missing(Infinity)) };
      const startedAtMs = performance.now();
      const { promotedMs, leftMs } = await replace();
      await deliveries(500);
      await load.stop();
      const untilMs = startedAtMs + leftMs + REPLY_IN_FLIGHT_MS;
      for (const [key, atMs] of acceptedAtMs) if (atMs >= replicatedUntilMs && atMs <= untilMs) excused.add(key);
      const isWhole = eventually(() => owed().length === 0, { withinMs: 60_000, what: 'all that was replicated' });
      await isWhole.catch(() => expect(owed().slice(0, 10)).toEqual([]));
      const missing = ledger.missing(Infinity).filter((key) => excused.has(key) && !before.missing.has(key));
      const twice = ledger.duplicates - before.duplicates;
      process.stdout.write(
        `redis sentinel (${name}): ${ledger.accepted} accepted, ${load.refused} requests refused, ${excused.size} in the gap of replication, ${missing.length} of them missing, ${twice} twice; another master after ${promotedMs} ms, no event accepted for ${refusedMs(startedAtMs)} ms\n`,
      );
      expect(twice).toBeLessThan(inFlightMax);
    },
    180_000,
  );

  test('no work is left, and the processes still run and stop by request', async () => {
    // The new master does not know of deliveries in the gap, so a repeated job gets new ids.
    process.stdout.write(`redis sentinel: ${ledger.renamed.length} events under two webhook-ids\n`);
    expect(ledger.renamed.length).toBeLessThanOrEqual(ledger.duplicates);
    expect(stack.endedThemselves).toEqual([]);
    for (const state of Object.values(stack.state))
      await eventually(async () => isOver(await state.remains()), { withinMs: 30_000, what: 'the end of all work' });
    const codes = await Promise.all([...stack.workers].map((worker) => stack.stopWorker(worker)));
    expect(codes).toEqual([0, 0]);
    expect(await stack.replaceApi()).toBe(0);
  }, 90_000);

  /** The longest time without an accepted event since then. */
  function refusedMs(sinceMs: number): number {
    const times = [sinceMs, ...[...acceptedAtMs.values()].filter((atMs) => atMs > sinceMs)];
    return Math.round(Math.max(...times.slice(1).map((atMs, i) => atMs - (times[i] ?? atMs))));
  }

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
});
