import type { TcpProxy } from '@mailhook/testing';
import { eventually, startTcpProxy } from '@mailhook/testing';
import type { CountingReceiver } from './rig/counting-receiver.ts';
import { startCountingReceiver } from './rig/counting-receiver.ts';
import { createLedger } from './rig/ledger.ts';
import type { Customer } from './rig/load.ts';
import { createCustomers, post, startLoad } from './rig/load.ts';
import { createRandom, runSeed } from './rig/random.ts';
import type { Stack } from './rig/stack.ts';
import { startStack } from './rig/stack.ts';

/** What a customer may wait. The kernel gives a silent connection up after 15 minutes. */
const BOUND_MS = 10_000;

/** A NAT table that forgets connections drops their packets: neither side learns anything, and new connections work. */
describe('connections to Redis that died silently', () => {
  const random = createRandom(runSeed());
  const ledger = createLedger();
  const timeouts: string[] = [];
  let receiver: CountingReceiver;
  let stack: Stack;
  /** The way of one of the two notifiers. */
  let lossy: TcpProxy;
  let customers: Customer[];

  beforeAll(async () => {
    receiver = await startCountingReceiver(ledger);
    stack = await startStack({
      workers: { 'transactional-notifier': 1, 'campaign-batcher': 0 },
      onLine: (name, { error }) => {
        if (String(error).includes('Socket timeout')) timeouts.push(name);
      },
    });
    lossy = await startTcpProxy(stack.redis.port);
    await stack.startWorker('transactional-notifier', lossy);
    customers = await createCustomers(stack, receiver.url, 8);
  }, 120_000);
  afterAll(async () => {
    await stack.close();
    await lossy.close();
    await receiver.close();
  });

  test.each([
    // The rest works: BullMQ hands this notifier jobs, and renews their locks, but it cannot append an event.
    ["a notifier's client for scripts", 'mailhook-transactional\r\n'],
    ['all clients of a notifier', ''],
  ])(
    'of %s: what is accepted meanwhile arrives in time',
    async (_whose, name) => {
      const series = `lost${name.length}`;
      const pace = { everyMs: 50, notifications: 5, campaignEvents: 0 };
      const load = startLoad({ stack, ledger, random, customers, series, ...pace });
      const before = ledger.accepted;
      await eventually(() => ledger.accepted > before + 200, { withinMs: 30_000, what: 'mail under way' });
      timeouts.length = 0;
      lossy.loseExisting(name);
      await eventually(() => timeouts.length > 0, { withinMs: 40_000, what: 'the notifier to notice' });
      await load.stop();
      await eventually(() => ledger.outstanding === 0, { withinMs: BOUND_MS, what: 'every accepted event' });
      expect(ledger.greatestDelayMs).toBeLessThan(BOUND_MS);
      expect(ledger.renamed).toEqual([]);
    },
    120_000,
  );

  test('of the api: it takes events again in time', async () => {
    const event = (messageId: string) => ({
      ...{ account: customers[0]?.account, module: 'transactional_email', name: 'open', messageId },
      ...{ time: Math.floor(Date.now() / 1000), ip: '192.0.2.7' },
    });
    stack.apiProxy.loseExisting();
    expect(await post(stack, [event('<first@x>')])).toBe(503);
    await eventually(async () => (await post(stack, [event('<second@x>')])) === 202, {
      withinMs: BOUND_MS,
      what: 'a 202',
    });
  }, 60_000);
});
