import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { eventually, startRedis, uniqueName } from '@mailhook/testing';
import type { TestRedis } from '@mailhook/testing';
import { allCommands } from './commands/all.suite.ts';
import type { AllCommands } from './commands/all.suite.ts';
import type { EngineKeys } from './keys.ts';
import { engineKeys, workerOf } from './keys.ts';
import { entry, LIMITS, newRecord } from './mailbox-rig.suite.ts';
import { scanLive } from './records.ts';

/** More than a page of a takeover. */
const DESTINATIONS = Array.from({ length: 1000 }, (_, i) => `d${i}`);
const MANY = { proven: DESTINATIONS.length, others: DESTINATIONS.length };
const LEASE_MS = 60_000;

describe('a takeover of many mailboxes', () => {
  let server: TestRedis;
  let redis: Redis;
  let keys: EngineKeys;
  let commands: AllCommands;

  async function connect(): Promise<void> {
    // Without a timeout for commands: a thousand at once may take longer on a busy machine.
    redis = connectRedis({ url: server.url, role: 'worker', name: 'test', onError: () => undefined });
    await whenReady(redis, 5000);
    commands = allCommands(redis, keys);
  }
  beforeAll(async () => {
    server = await startRedis({ appendonly: true, appendfsync: 'always' });
  });
  beforeEach(async () => {
    keys = engineKeys(uniqueName('takeover'), 0, 'transactional');
    await connect();
    await Promise.all(DESTINATIONS.map((destination) => commands.saveDestination(destination, newRecord())));
    await commands.heartbeat('wdead', LEASE_MS, 500);
    await commands.append({
      worker: 'wdead',
      firstClaim: 1,
      room: MANY,
      jobKey: '',
      progress: 'c1',
      slice: 1,
      limits: LIMITS,
      groups: DESTINATIONS.map((destination) => {
        const entries = [entry('msg_e1\n{}')];
        return { destination, account: 'account', lane: 'f' as const, events: 1, entries };
      }),
    });
  });
  afterEach(() => closeRedis(redis));
  afterAll(() => server.stop());

  async function ownedBy(worker: string): Promise<number> {
    let owned = 0;
    let cursor = '0';
    do {
      const { next, states } = await scanLive(redis, keys, cursor, 1000);
      owned += states.filter(([, { owner }]) => workerOf(owner) === worker).length;
      cursor = next;
    } while (cursor !== '0');
    return owned;
  }
  const leaseEnds = () => redis.zadd(keys.workers, Date.now() - 1, 'wdead');
  const heartbeat = () => commands.heartbeat('walive', LEASE_MS, 500);
  /** Resolves with the number of heartbeats. */
  async function takeOver(): Promise<number> {
    for (let heartbeats = 1; ; heartbeats += 1) if ((await heartbeat()).whole) return heartbeats;
  }

  it('puts back a page per heartbeat', async () => {
    expect(await ownedBy('wdead')).toBe(DESTINATIONS.length);
    await leaseEnds();
    expect(await takeOver()).toBeGreaterThan(1);
    expect(await ownedBy('wdead')).toBe(0);
    expect(await redis.llen(keys.readyLists[1])).toBe(DESTINATIONS.length);
  });

  it.each([
    ['ends', leaseEnds],
    // Its own heartbeats find a page each.
    ['is given up', () => commands.heartbeat('wdead', 0, 500)],
  ])(
    'begins anew if the worker has returned meanwhile and may have claimed mailboxes of the first pages: its lease %s',
    async (_, end) => {
      await end();
      expect((await heartbeat()).moved).toBeGreaterThan(0);
      await commands.heartbeat('wdead', LEASE_MS, 500);
      await commands.take('wdead', 2000, MANY, LIMITS);
      expect(await ownedBy('wdead')).toBe(DESTINATIONS.length);
      await end();
      await takeOver();
      expect(await ownedBy('wdead')).toBe(0);
    },
  );

  it('goes on while a worker that waits for slow replies gives up its lease again and again', async () => {
    let calls = 0;
    for (let whole = false; !whole && calls < 50; calls += 1) {
      ({ whole } = await commands.heartbeat('wdead', 0, 500));
      await eventually(async () => Date.now() > Number(await redis.get(`${keys.base}beat`)), { what: 'another time' });
    }
    expect(calls).toBeLessThan(50);
    expect(await ownedBy('wdead')).toBe(0);
  });

  it('begins anew after a restart of Redis, which changes the order of the pages', async () => {
    await leaseEnds();
    expect((await heartbeat()).moved).toBeGreaterThan(0);
    await closeRedis(redis);
    await server.restart();
    await connect();
    expect(await ownedBy('wdead')).toBeGreaterThan(0);
    await takeOver();
    expect(await ownedBy('wdead')).toBe(0);
  });
});
