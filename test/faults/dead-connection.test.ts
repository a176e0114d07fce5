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

/** The longest that a customer may wait. The kernel would close a silent connection only after 15 minutes. */
const BOUND_MS = 10_000;

/** A NAT table that forgets connections drops their packets. Neither side notices, and new connections work. */
describe('connections to Redis that died silently', () => {
  const random = createRandom(runSeed());
  const ledger = createLedger();
  const timeouts: string[] = [];
  let receiver: CountingReceiver;
  let stack: Stack;
  /** One of the two notifiers reaches Redis through this proxy. */
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
    // BullMQ still hands jobs to this notifier and renews their locks, but the notifier cannot append events.
    ["a notifier's client for scripts", 'mailhook-transactional\r\n'],
    ['all clients of a notifier', ''],
  ])(
    'of %s: events accepted in the meantime arrive in time',
    async (_clients, name) => {
      const series = `lost${name.length}`;
      const pace = { everyMs: 50, notifications: 5, campaignEvents: 0 };
      const load = startLoad({ stack, ledger, random, customers, series, ...pace });
      const before = ledger.accepted;
      await eventually(() => ledger.accepted > before + 200, { withinMs: 30_000, what: '200 accepted events' });
      timeouts.length = 0;
      lossy.loseExisting(name);
      await eventually(() => timeouts.length > 0, { withinMs: 40_000, what: 'the notifier to notice' });
      await load.stop();
      await ledger.untilWhole(BOUND_MS);
      expect(ledger.greatestDelayMs).toBeLessThan(BOUND_MS);
      expect(ledger.renamed).toEqual([]);
    },
    120_000,
  );

  test('of the api: it accepts events again in time', async () => {
    const event = (messageId: string) => ({
      account: customers[0]?.account,
      module: 'transactional_email',
      name: 'open',
      messageId,
      time: Math.floor(Date.now() / 1000),
      ip: '192.0.2.7',
    });
    stack.apiProxy.loseExisting();
    expect(await post(stack, [event('<first@x>')])).toBe(503);
    await eventually(async () => (await post(stack, [event('<second@x>')])) === 202, {
      withinMs: BOUND_MS,
      what: 'a 202',
    });
  }, 60_000);
});
