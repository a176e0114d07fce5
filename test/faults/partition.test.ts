import type { TcpProxy } from '@mailhook/testing';
import { aCampaignEvent, anOpen, eventually, startTcpProxy } from '@mailhook/testing';
import type { CountingReceiver } from './rig/counting-receiver.ts';
import { startCountingReceiver } from './rig/counting-receiver.ts';
import { untilOver } from './rig/engine-state.ts';
import { WORKER_NAMES } from './rig/fault-report.ts';
import { createLedger } from './rig/ledger.ts';
import type { Customer, Load } from './rig/load.ts';
import { createCustomers, post, startLoad } from './rig/load.ts';
import { createRandom, runSeed } from './rig/random.ts';
import { endedRequests, reasonsOf, untilReady } from './rig/readiness.ts';
import type { RunningWorker, Stack } from './rig/stack.ts';
import { startStack } from './rig/stack.ts';
import { variants } from './rig/variants.ts';

const PATIENCE = { withinMs: 30_000 };

/**
 * A firewall drops all packets between one process and Redis. Nothing is refused or reset, and receivers still answer.
 */
describe('a process that loses Redis under load', () => {
  const random = createRandom(runSeed());
  const ledger = createLedger();
  const confirmed = new Set<string>();
  let receiver: CountingReceiver;
  let stack: Stack;
  let customers: readonly Customer[];
  let load: Load | undefined;
  let lossy: TcpProxy;

  beforeAll(async () => {
    const confirm = (key: string, webhookId: string): void => {
      confirmed.add(key);
      ledger.confirm(key, webhookId);
    };
    receiver = await startCountingReceiver({ confirm }, () => ({ delayMs: random.between(100, 300) }));
    stack = await startStack({ workers: { 'transactional-notifier': 1, 'campaign-batcher': 1 } });
    lossy = await startTcpProxy(stack.redis.port);
    customers = await createCustomers(stack, receiver.url, 10);
  }, 120_000);
  afterEach(async () => {
    lossy.restore();
    lossy.delayRequests(0);
    stack.apiProxy.restore();
    await load?.stop();
    load = undefined;
  });
  afterAll(async () => {
    await stack.close();
    await lossy.close();
    await receiver.close();
  }, 60_000);

  const underLoad = (series: string): Load =>
    startLoad({ stack, ledger, random, customers, series, everyMs: 100, notifications: 10, campaignEvents: 20 });
  const ownedBy = async ({ name, id }: RunningWorker): Promise<number> =>
    [...(await stack.state[name].owners()).values()].filter((token) => token.startsWith(`${id}_`)).length;
  /** Cuts the worker off from Redis while it has batches in flight. Resolves with these batches. */
  const cutOff = ({ name, id }: RunningWorker) =>
    eventually(
      async () => {
        const { batches } = await stack.state[name].inFlight(id);
        if (batches < 2) return false;
        lossy.swallow();
        return stack.state[name].inFlight(id);
      },
      { ...PATIENCE, what: `batches in flight of the ${name}` },
    );
  const everythingArrives = async (): Promise<void> => {
    await ledger.untilWhole(60_000);
    await untilOver(Object.values(stack.state));
  };

  test.each(variants(WORKER_NAMES, 1))(
    'one %s of two: the other takes over, only batches in flight may arrive twice, and the worker works again',
    async (name) => {
      const worker = await stack.startWorker(name, lossy);
      load = underLoad(name);
      const { duplicates } = ledger;
      const inFlight = await cutOff(worker);
      const ended = await endedRequests(worker);
      await eventually(async () => (await ownedBy(worker)) === 0, { ...PATIENCE, what: 'the other one to take over' });
      // The other worker owns the destinations now, so this one must have sent its last request.
      const endedByNow = await endedRequests(worker);
      expect(endedByNow - ended).toBeLessThanOrEqual(inFlight.batches);
      const { delivered } = ledger;
      await eventually(() => ledger.delivered >= delivered + 300, { ...PATIENCE, what: 'deliveries of the other one' });
      expect(await endedRequests(worker)).toBe(endedByNow);
      expect(await reasonsOf(worker)).toContainEqual(expect.stringMatching(/cannot renew its lease/));

      lossy.restore();
      await untilReady([worker]);
      await eventually(async () => (await endedRequests(worker)) > endedByNow + 5, {
        ...PATIENCE,
        what: 'requests of the worker that came back',
      });
      await load.stop();
      await everythingArrives();
      process.stdout.write(
        `partition of a ${name}: ${ledger.accepted} accepted so far, ${inFlight.events} events in flight, ` +
          `${ledger.duplicates - duplicates} duplicates, longest delay ${ledger.greatestDelayMs} ms\n`,
      );
      expect(ledger.duplicates - duplicates).toBeLessThanOrEqual(inFlight.events);
      expect(ledger.renamed).toEqual([]);
      expect(await stack.stopWorker(worker)).toBe(0);
      expect(stack.endedThemselves).toEqual([]);
    },
    120_000,
  );

  test.each(variants(WORKER_NAMES.toReversed(), 1))(
    'one %s of two reaches Redis 1.8 s late: the other takes over its destinations, and the worker works again',
    async (name) => {
      const worker = await stack.startWorker(name, lossy);
      load = underLoad(`late ${name}`);
      await eventually(async () => (await ownedBy(worker)) > 0, { ...PATIENCE, what: 'destinations of the worker' });
      // Its heartbeats keep the lease in Redis, but their replies come too late for it to work.
      lossy.delayRequests(1800);
      const why = /cannot renew its lease: Redis answers only after \d+ ms/;
      await eventually(async () => (await reasonsOf(worker)).some((reason) => why.test(reason)), {
        ...PATIENCE,
        what: `the ${name} to say why it does not work`,
      });
      await load.stop();
      await everythingArrives();
      const ended = await endedRequests(worker);

      lossy.delayRequests(0);
      await untilReady([worker]);
      load = underLoad(`again ${name}`);
      await eventually(async () => (await endedRequests(worker)) > ended, { ...PATIENCE, what: 'its requests' });
      await load.stop();
      await everythingArrives();
      expect(ledger.renamed).toEqual([]);
      expect(await stack.stopWorker(worker)).toBe(0);
      expect(stack.endedThemselves).toEqual([]);
    },
    120_000,
  );

  test('the api: requests get a 503, each is accepted whole or not at all, and events are accepted again', async () => {
    const { duplicates } = ledger;
    let count = 0;
    const send = async () => {
      const request = (count += 1);
      const named = customers.map((customer, i) => ({ customer, name: `p${request}.${i}` }));
      const events = named.flatMap(({ customer: { account }, name }) => [
        anOpen({ account, messageId: `<${name}@x>` }),
        aCampaignEvent({ account, email: `${name}@example.com` }),
      ]);
      const keys = named.flatMap(({ customer, name }) => [
        `${customer.notificationPath} <${name}@x>`,
        `${name}@example.com`,
      ]);
      const status = await post(stack, events);
      if (status === 202) ledger.accept(keys);
      return { status, keys };
    };
    const early = Array.from({ length: 10 }, send);
    await Promise.race(early);
    const atTheCut = Array.from({ length: 10 }, send);
    stack.apiProxy.swallow();
    const sent = [...(await Promise.all([...early, ...atTheCut]))];
    const during = await Promise.all(Array.from({ length: 10 }, send));
    expect(during.map(({ status }) => status)).toEqual(during.map(() => 503));
    stack.apiProxy.restore();
    await eventually(async () => (await send()).status === 202, { ...PATIENCE, what: 'a 202' });
    await everythingArrives();
    const all = [...sent, ...during];
    process.stdout.write(
      `partition of the api: ${all.filter(({ status }) => status === 202).length} of ${all.length} requests ` +
        `accepted, ${ledger.duplicates - duplicates} duplicates\n`,
    );
    expect(all.filter(({ status }) => status !== 202 && status !== 503)).toEqual([]);
    for (const { status, keys } of all) {
      const arrived = keys.filter((key) => confirmed.has(key)).length;
      expect([0, keys.length]).toContain(arrived);
      if (status === 202) expect(arrived).toBe(keys.length);
    }
    expect(ledger.duplicates).toBe(duplicates);
  }, 120_000);
});
