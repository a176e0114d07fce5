import { createConnection } from 'mongoose';
import type { Store } from '@mailhook/core';
import { newAccount, StoreUnavailableError } from '@mailhook/core';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import {
  eventually,
  startMongod,
  startRedis,
  testMongoUrl,
  testRedisUrl,
  uniqueName,
  unlessMissing,
} from '@mailhook/testing';
import { openMongoStore } from './mongo/mongo-store.ts';
import { createRedisStore } from './redis/redis-store.ts';
import { describeStore } from './store.suite.ts';

const ignore = (): void => undefined;

async function openRedisStore(url: string): Promise<Store> {
  const redis = connectRedis({ url, role: 'fail-fast', name: 'test', onError: ignore });
  await whenReady(redis, 5000);
  const store = createRedisStore({ redis, prefix: uniqueName('store') });
  return { ...store, close: () => closeRedis(redis) };
}

/** Uses a new database, because the list of accounts covers all accounts in it. */
const openOwnMongoStore = (url: string): Promise<Store> =>
  openMongoStore({ url: withDatabase(url, uniqueName('store')), onError: ignore });

function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

describeStore('Redis', async () => openRedisStore(await testRedisUrl()));
describeStore('MongoDB', async () => openOwnMongoStore(await testMongoUrl()), 'mongod');
const itInMongo = unlessMissing(it, 'mongod');

it('an account in Redis can be changed with any characters in its texts', async () => {
  const store = await openRedisStore(await testRedisUrl());
  const account = newAccount({
    id: 'acc',
    name: 'half \ud83d of a pair, \u0000, \n',
    createdAt: '2026-01-02T03:04:05.678Z',
  });
  try {
    await store.save(account);
    await expect(store.save({ ...account, version: 1 })).resolves.toBe(true);
    await expect(store.load('acc')).resolves.toEqual({ ...account, version: 2 });
  } finally {
    await store.close();
  }
});

const QUICKLY_MS = 20_000;

itInMongo(
  'an index that MongoDB cannot make is reported once, by that name, and is made as soon as it can be',
  async () => {
    const server = await startMongod();
    const errors: string[] = [];
    const raw = createConnection(server.url);
    await raw.asPromise();
    const index = { key: { 'tokens.tokenHash': 1 }, name: 'tokens.tokenHash_1' };
    await raw.createCollection('accounts');
    await raw.db?.command({ createIndexes: 'accounts', indexes: [index] });
    const store = await openMongoStore({ url: server.url, onError: ({ message }) => errors.push(message) });
    try {
      const failures = async (): Promise<number> => {
        const status = await raw.db?.admin().command({ serverStatus: 1 });
        return (status as { metrics: { commands: { createIndexes: { failed: number } } } }).metrics.commands
          .createIndexes.failed;
      };
      await eventually(async () => (await failures()) >= 3, { withinMs: 15_000, what: 'three tries' });
      expect(errors).toEqual([expect.stringMatching(/^could not make an index: .*tokenHash/)]);
      await raw.db?.command({ dropIndexes: 'accounts', index: 'tokens.tokenHash_1' });
      const isUnique = async (): Promise<boolean> =>
        ((await raw.db?.collection('accounts').indexes()) ?? []).some(
          ({ key, unique }) => 'tokens.tokenHash' in key && unique === true,
        );
      await eventually(isUnique, { withinMs: 15_000, what: 'the unique index' });
      // A partial index serves only queries that imply its condition.
      for (const path of ['tokens.tokenHash', 'destinations.id']) {
        const plan = await raw.db
          ?.collection('accounts')
          .find({ [path]: 'x' })
          .explain('queryPlanner');
        expect(JSON.stringify(plan)).toContain(`"stage":"IXSCAN"`);
      }
    } finally {
      await store.close();
      await raw.close();
      await server.stop();
    }
  },
  60_000,
);

const servers = [
  ['Redis', () => startRedis({ appendonly: true, appendfsync: 'always' }), openRedisStore, undefined],
  ['MongoDB', startMongod, openOwnMongoStore, 'mongod'],
] as const;

describe.each(servers)('store: %s that stops', (_name, startServer, open, tool) => {
  unlessMissing(it, tool)('rejects quickly with StoreUnavailableError, and works again after a restart', async () => {
    const server = await startServer();
    const store = await open(server.url);
    try {
      const account = newAccount({ id: 'acc', name: 'Acme', createdAt: '2026-01-02T03:04:05.678Z' });
      await store.save(account);
      await server.kill();
      const calls: (() => Promise<unknown>)[] = [
        () => store.ping(),
        () => store.load('acc'),
        () => store.save({ ...account, version: 1 }),
        () => store.findByToken('hash'),
      ];
      for (const call of calls) {
        const startedMs = performance.now();
        await expect(call()).rejects.toThrow(StoreUnavailableError);
        expect(performance.now() - startedMs).toBeLessThan(QUICKLY_MS);
      }
      await server.restart();
      await eventually(() => store.ping().then(() => true), { withinMs: 15_000, what: 'the store to answer again' });
      await expect(store.load('acc')).resolves.toEqual({ ...account, version: 1 });
    } finally {
      await store.close();
      await server.stop();
    }
  });
});

itInMongo('opens while MongoDB is down, rejects calls, and connects later', async () => {
  const server = await startMongod();
  await server.kill();
  const store = await openOwnMongoStore(server.url);
  try {
    await expect(store.load('acc')).rejects.toThrow(StoreUnavailableError);
    await server.restart();
    await eventually(() => store.ping().then(() => true), { withinMs: 15_000, what: 'the first connection' });
    await expect(store.load('acc')).resolves.toBeUndefined();
  } finally {
    await store.close();
    await server.stop();
  }
});
