import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { addDestination, newAccount, removeDestination, setCampaign } from '@mailhook/core';
import type { Mechanism } from '@mailhook/core';
import { createDestinationRegistry, createMailboxChecks, Installation, loadFunctions } from '@mailhook/delivery';
import { DELETED, readMailbox } from '@mailhook/delivery/mailbox';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { eventually, someSettings, startRedis, testRedisUrl, uniqueName } from '@mailhook/testing';
import type { TestRedis } from '@mailhook/testing';
import { storeKeys } from '../store/redis/keys.ts';
import { createRedisStore } from '../store/redis/redis-store.ts';
import { createAccountWriter } from './account-writer.ts';
import { changeAccount } from './change-account.ts';
import { startResync } from './resync.ts';
import { createRoutingTable } from './routing-table.ts';
import { createSnapshotLoader } from './snapshot.ts';
import { createUnfinishedChanges } from './unfinished-changes.ts';

const ACCOUNTS = 20;
const PAGE = 3;
/** Each comparison of a test is one that the test asks for. */
const NEVER_MS = 3_600_000;

const idOf = (i: number): string => `acc${String(i).padStart(3, '0')}`;
/** On none of the first pages. */
const [LATE, LATER] = [idOf(ACCOUNTS - 2), idOf(ACCOUNTS - 1)];
const address = (name: string): string => `https://example.com/${name}`;
const SUBSCRIPTION = { id: 'sub', module: 'transactional_email', headers: {} } as const;

/** The store stays, and the Redis of the workers can go back in time. */
describe('the comparison of the store with the records in Redis', () => {
  let storeRedis: Redis;
  let server: TestRedis;
  let redis: Redis;
  let prefix: string;
  let parts: Awaited<ReturnType<typeof makeParts>>;
  beforeAll(async () => {
    server = await startRedis({ appendonly: true, appendfsync: 'always' });
    const connect = { role: 'fail-fast', name: 'test', onError: () => undefined } as const;
    storeRedis = connectRedis({ ...connect, url: await testRedisUrl() });
    redis = connectRedis({ ...connect, url: server.url });
    await Promise.all([storeRedis, redis].map((client) => whenReady(client, 5000)));
  });
  afterAll(async () => {
    await Promise.all([storeRedis, redis].map(closeRedis));
    await server.stop();
  });
  beforeEach(async () => {
    prefix = uniqueName('comparison');
    await loadFunctions(redis, prefix);
    parts = await makeParts();
  });
  afterEach(() => parts.close());

  const makeParts = async () => {
    const store = createRedisStore({ redis: storeRedis, prefix });
    const installation = new Installation(redis, prefix, 1);
    const registry = createDestinationRegistry(installation);
    const unfinished = createUnfinishedChanges(redis, prefix);
    const routing = createRoutingTable({ lookUp: createSnapshotLoader(store), now: () => performance.now() });
    const bus = { publish: () => Promise.resolve(), close: () => undefined };
    const logger = { warn: () => undefined } as never;
    const writer = createAccountWriter({ store, registry, routing, bus, unfinished, logger, reseal: (one) => one });
    const checked: string[] = [];
    const counting = { ...writer, check: (id: string) => (checked.push(id), writer.check(id)) };
    for (let i = 0; i < ACCOUNTS; i += 1) {
      await store.save(newAccount({ id: idOf(i), name: '', createdAt: '2026-11-27T10:00:00.000Z' }));
      await changeAccount(store, idOf(i), (one) => setCampaign(one, { address: address('old'), active: true }));
    }
    const start = () =>
      startResync({
        store,
        writer: counting,
        registry,
        mailboxes: createMailboxChecks(installation),
        unfinished,
        redis,
        prefix,
        logger,
        everyMs: NEVER_MS,
        repairEveryMs: 10,
        page: PAGE,
      });
    const known: (string | undefined)[] = [undefined];
    const isNext = async () => !known.includes(await store.readComparison());
    let resync = start();
    await eventually(isNext, { withinMs: 20_000, what: 'the first comparison' });
    const next = async () => {
      known.push(await store.readComparison());
      checked.length = 0;
      // Once only: a second time, it might end the lock of the next comparison.
      await redis.del(`${prefix}:store-resync`);
      await eventually(isNext, { withinMs: 20_000, what: 'the next comparison' });
    };
    const restart = async () => {
      await resync.close();
      known.push(await store.readComparison());
      await redis.del(`${prefix}:store-resync`);
      resync = start();
      await eventually(isNext, { withinMs: 20_000, what: 'the first comparison' });
    };
    const recordOf = async (account: string, kind: Mechanism, id: string) =>
      (await readMailbox(redis, installation.keysOf(account, kind), id)).record;
    const close = async () => {
      await resync.close();
      await installation.close();
    };
    return { store, writer, unfinished, checked, next, restart, recordOf, close };
  };
  const campaignOf = async (account: string) =>
    (await parts.recordOf(account, 'campaign', `campaign-${account}`))?.address;
  /** The workers never learn of it. */
  const changeInStore = (account: string, name: string) =>
    changeAccount(parts.store, account, (one) => setCampaign(one, { address: address(name), active: true }));
  /** Those that compare. The others depend on time. */
  const commands = async (): Promise<number> => {
    const stats = await redis.info('commandstats');
    return [...stats.matchAll(/^cmdstat_(?:fcall|hscan|hmget|hget):calls=(\d+)/gm)].reduce(
      (sum, [, calls]) => sum + Number(calls),
      0,
    );
  };

  it('takes one page at a time at rest, and so reaches every account', async () => {
    const pages: number[] = [];
    const all: string[] = [];
    for (let page = 0; page < ACCOUNTS / PAGE; page += 1) {
      await parts.next();
      pages.push(parts.checked.length);
      all.push(...parts.checked);
    }
    expect(all.sort()).toEqual(Array.from({ length: ACCOUNTS }, (_, i) => idOf(i)));
    expect(Math.max(...pages)).toBe(PAGE);
  });

  it('finds what Redis has lost or has again after it went back', async () => {
    const { writer, next, recordOf } = parts;
    await writer.change(LATER, (one) =>
      addDestination(one, { ...SUBSCRIPTION, settings: someSettings(SUBSCRIPTION.module, { address: address('s') }) }),
    );
    const copy = mkdtempSync(path.join(os.tmpdir(), 'mailhook-comparison-'));
    const replaceFiles = async (from: string, to: string) => {
      await server.kill();
      rmSync(to, { recursive: true });
      cpSync(from, to, { recursive: true });
      await server.restart();
      await whenReady(redis, 20_000);
    };
    try {
      await replaceFiles(server.dir, copy);
      await next();
      await writer.change(LATE, (one) => setCampaign(one, { address: address('new'), active: true }));
      await writer.change(LATER, (one) => removeDestination(one, SUBSCRIPTION.id));
      await replaceFiles(copy, server.dir);
      expect(await campaignOf(LATE)).toBe(address('old'));
      await next();
      expect(await campaignOf(LATE)).toBe(address('new'));
      expect((await recordOf(LATER, 'transactional', SUBSCRIPTION.id))?.record).toBe(DELETED);
    } finally {
      rmSync(copy, { recursive: true });
    }
  });

  it('writes all records again after Redis has lost them', async () => {
    await redis.flushall();
    await parts.next();
    expect(await campaignOf(LATE)).toBe(address('old'));
  });

  it('finds that the store went back', async () => {
    const keys = [storeKeys(prefix).account(LATE), storeKeys(prefix).comparison];
    const backup = await storeRedis.mget(keys);
    await parts.next();
    await parts.writer.change(LATE, (one) => setCampaign(one, { address: address('new'), active: true }));
    for (const [i, key] of keys.entries()) await storeRedis.set(key, backup[i] ?? '');
    await parts.next();
    expect(await campaignOf(LATE)).toBe(address('old'));
  });

  it('finds the change of an api that ended before it told the workers', async () => {
    await redis.zadd(`${prefix}:unfinished-changes`, 1, 'a change');
    await changeInStore(LATE, 'new');
    await parts.next();
    expect([await campaignOf(LATE), await parts.unfinished.find()]).toEqual([address('new'), []]);
  });

  it('finds what changed while this api was away', async () => {
    await changeInStore(LATE, 'new');
    await parts.restart();
    expect(await campaignOf(LATE)).toBe(address('new'));
  });

  it('finds events that no mailbox counts, page by page', async () => {
    const keys = new Installation(redis, prefix, 1).keysOf(LATE, 'campaign');
    await redis.rpush(keys.lane('f', `campaign-${LATE}`), `${Date.now().toString(36).padStart(8, '0')}0001event`);
    const found = () => redis.lrange(`${keys.base}violations`, 0, -1);
    for (let page = 0; page < ACCOUNTS && (await found()).length === 0; page += 1) await parts.next();
    expect(await found()).toEqual([`extra-entries campaign-${LATE}`]);
  });

  it('costs the same number of commands with any number of accounts', async () => {
    const costs: number[] = [];
    for (const more of [0, ACCOUNTS]) {
      for (let i = 0; i < more; i += 1)
        await parts.store.save(newAccount({ id: `more${i}`, name: '', createdAt: '2026-11-27T10:00:00.000Z' }));
      await parts.restart();
      const before = await commands();
      await parts.next();
      costs.push((await commands()) - before);
    }
    expect(Math.abs((costs[1] ?? 0) - (costs[0] ?? 0))).toBeLessThan(ACCOUNTS / 2);
  });
});
