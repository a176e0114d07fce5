import { eventually } from '@mailhook/testing';
import type { CountingReceiver } from '../rig/counting-receiver.ts';
import { startCountingReceiver } from '../rig/counting-receiver.ts';
import { untilOver } from '../rig/engine-state.ts';
import { createLedger } from '../rig/ledger.ts';
import type { Customer, Load } from '../rig/load.ts';
import { createCustomers, startLoad } from '../rig/load.ts';
import { createRandom, runSeed } from '../rig/random.ts';
import { reasonsOf, untilReady } from '../rig/readiness.ts';
import type { Stack } from '../rig/stack.ts';
import { startStack } from '../rig/stack.ts';

describe('a slow Redis under 400 events per second, both mechanisms, 20 destinations', () => {
  const random = createRandom(runSeed());
  const ledger = createLedger();
  /** The log lines of workers that take over from a worker without a lease. */
  const takeovers: unknown[] = [];
  let receiver: CountingReceiver;
  let stack: Stack;
  let customers: readonly Customer[];
  let load: Load | undefined;

  beforeAll(async () => {
    receiver = await startCountingReceiver(ledger, () => ({ delayMs: random.between(5, 20) }));
    stack = await startStack({
      workers: { 'transactional-notifier': 2, 'campaign-batcher': 2 },
      onLine: (_name, line) => {
        if (line.message === 'claimed the destinations of a worker with an expired lease') takeovers.push(line);
      },
    });
    customers = await createCustomers(stack, receiver.url, 10);
  }, 120_000);

  const underLoad = (series: string): Load =>
    startLoad({ stack, ledger, random, customers, series, everyMs: 75, notifications: 10, campaignEvents: 20 });
  const accepted = (more: number): Promise<true> => {
    const wanted = ledger.accepted + more;
    return eventually(() => ledger.accepted >= wanted, { withinMs: 60_000, what: `${more} more accepted events` });
  };
  const everythingArrives = async (fault: string): Promise<void> => {
    await load?.stop();
    load = undefined;
    await ledger.untilWhole(60_000);
    process.stdout.write(
      `${fault}: ${ledger.accepted} accepted so far, ${ledger.duplicates} duplicates, longest delay ` +
        `${ledger.greatestDelayMs} ms\n`,
    );
    await untilOver(Object.values(stack.state));
    expect(ledger.duplicates).toBe(0);
    expect(stack.endedThemselves).toEqual([]);
  };

  beforeEach(() => {
    takeovers.length = 0;
  });
  afterEach(async () => {
    stack.proxy.delayRequests(0);
    stack.apiProxy.delayRequests(0);
    await load?.stop();
    load = undefined;
  });
  afterAll(async () => {
    await stack.close();
    await receiver.close();
  }, 60_000);

  test.each([
    ['the workers and the api', 400, 400],
    ['the workers', 400, 0],
    ['the workers', 200, 0],
  ] as const)(
    '%s reach it %d ms later: the workers keep up and stay ready, and no destination changes hands',
    async (who, delayMs, apiDelayMs) => {
      load = underLoad(`slow${delayMs}.${apiDelayMs}.`);
      await accepted(200);
      stack.proxy.delayRequests(delayMs);
      stack.apiProxy.delayRequests(apiDelayMs);
      await accepted(2500);
      // Deliveries must go on while the load does, because a growing backlog would never end.
      const { delivered } = ledger;
      await eventually(() => ledger.delivered >= delivered + 500, { withinMs: 30_000, what: 'deliveries go on' });
      await untilReady(stack.workers);
      await everythingArrives(`${who} ${delayMs} ms from Redis`);
      expect(takeovers).toEqual([]);
      expect([...stack.repairs]).toEqual([]);
    },
    120_000,
  );

  test('workers that reach it 3 s later are not ready and say why, and work again when Redis is fast', async () => {
    load = underLoad('late');
    await accepted(200);
    stack.proxy.delayRequests(3000);
    const why = { 'transactional-notifier': 'transactional', 'campaign-batcher': 'campaign' };
    for (const worker of stack.workers) {
      const reason = `the ${why[worker.name]} worker cannot renew its lease: Command timed out`;
      await eventually(async () => (await reasonsOf(worker)).includes(reason), {
        withinMs: 30_000,
        what: `${worker.name} to say: ${reason}`,
      });
    }
    stack.proxy.delayRequests(0);
    await untilReady(stack.workers);
    await everythingArrives('workers 3 s from Redis');
  }, 120_000);
});
