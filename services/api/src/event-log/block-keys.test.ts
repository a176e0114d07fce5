import { randomBytes } from 'node:crypto';
import { newAccount } from '@mailhook/core';
import { createSealing } from '@mailhook/platform/sealing';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { testRedisUrl, uniqueName } from '@mailhook/testing';
import { createRedisStore } from '../store/redis/redis-store.ts';
import { createBlockKeys } from './block-keys.ts';

const JANUARY = Date.UTC(2026, 0, 15);
const MONTH_MS = 31 * 24 * 60 * 60 * 1000;

describe('the keys of the event log', () => {
  let redis: Redis;
  beforeAll(async () => {
    redis = connectRedis({ url: await testRedisUrl(), role: 'fail-fast', name: 'test', onError: () => undefined });
    await whenReady(redis, 5000);
  });
  afterAll(() => closeRedis(redis));

  it('are made once per account and month, lie sealed in its record, and go with it', async () => {
    const store = createRedisStore({ redis, prefix: uniqueName('keys') });
    await store.save(newAccount({ id: 'acme', name: 'Acme', createdAt: new Date(JANUARY).toISOString() }));
    const sealing = createSealing([randomBytes(32)]);
    let nowMs = JANUARY;
    // Two apis at the same moment.
    const apis = [0, 1].map(() => createBlockKeys({ store, sealing, nowMs: () => nowMs }));
    const [one, other] = await Promise.all(apis.map((keys) => keys.current('acme')));
    expect(one).toEqual(other);
    if (one === undefined || one === 'unreadable') throw new Error('there is no key');
    expect(one.month).toBe(672);
    expect(one.key).toHaveLength(32);
    const stored = JSON.stringify(await store.load('acme'));
    expect(stored).toContain('sealed:');
    expect(stored).not.toContain(one.key.toString('base64url'));
    for (let month = 1; month <= 3; month += 1) {
      nowMs += MONTH_MS;
      await apis[0]?.current('acme');
    }
    const fresh = createBlockKeys({ store, sealing, nowMs: () => nowMs });
    expect(await fresh.ofMonth('acme', 672)).toBeUndefined();
    expect(await fresh.ofMonth('acme', 673)).toHaveLength(32);
    expect(await fresh.current('nobody')).toBeUndefined();
    // An api whose clock is years ahead.
    const ahead = createBlockKeys({
      store,
      sealing,
      nowMs: () => nowMs + 24 * MONTH_MS,
      clockMs: () => Promise.resolve(nowMs),
    });
    expect(await ahead.current('acme')).toMatchObject({ month: 675 });
    const others = createBlockKeys({ store, sealing: createSealing([randomBytes(32)]), nowMs: () => nowMs });
    expect([await others.current('acme'), await others.ofMonth('acme', 674)]).toEqual(['unreadable', 'unreadable']);
    const account = await store.load('acme');
    expect(account?.logKeys.map(({ month }) => month)).toEqual([673, 674, 675]);
    if (account !== undefined) await store.remove(account, new Date().toISOString());
    const after = createBlockKeys({ store, sealing, nowMs: () => nowMs });
    expect([await after.current('acme'), await after.ofMonth('acme', 675)]).toEqual([undefined, undefined]);
  });
});
