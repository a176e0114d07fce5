import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Redis } from '@mailhook/platform/redis';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import { aClick, eventually, testRedisUrl, uniqueName } from '@mailhook/testing';
import { createPublishCommands } from '../mailbox/commands/publish.ts';
import { Installation } from '../mailbox/installation.ts';
import { engineKeys } from '../mailbox/keys.ts';
import { watchOverfullAccounts } from './overfull-accounts.ts';

/** The connection, with a hook that runs after the last read of each poll and delays its reply. */
const withHook = (redis: Redis, afterRead: () => Promise<void>): Redis =>
  new Proxy(redis, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== 'zrevrange') return value.bind(target) as unknown;
      return async (...args: unknown[]) => {
        const rows: unknown = await Reflect.apply(value, target, args);
        await afterRead();
        return rows;
      };
    },
  });

test('bytes published while Redis is read still count after the reading', async () => {
  const redis = connectRedis({ url: await testRedisUrl(), role: 'fail-fast', name: 'test', onError: () => undefined });
  await whenReady(redis, 5000);
  let delay: Promise<void> | undefined;
  let isDelayed = false;
  const hooked = withHook(redis, async () => {
    isDelayed ||= delay !== undefined;
    await delay;
  });
  const installation = new Installation(hooked, uniqueName('overfull'), 1);
  const accounts = await watchOverfullAccounts(installation, { waitingMaxEvents: 1000, waitingMaxBytes: 1e9 });
  try {
    let endDelay = (): void => undefined;
    delay = new Promise((resolve) => (endDelay = resolve));
    await eventually(() => isDelayed, { what: 'a poll' });
    const event = aClick();
    await accounts.count(0, [{ account: event.account, events: 1, bytes: 6_000_000 }], true);
    const priority = (): number =>
      accounts.priorityOf(
        0,
        new Map([
          ['light', 300],
          [event.account, 300],
        ]),
      );
    expect(priority()).toBeGreaterThan(0);
    endDelay();
    // The poll ends within these turns, long before the next one starts.
    for (let turn = 0; turn < 20; turn += 1) {
      await nextTurn();
      expect(priority()).toBeGreaterThan(0);
    }
  } finally {
    accounts.close();
    await closeRedis(redis);
  }
});

test('the limit is compared with many accounts by few commands', async () => {
  const redis = connectRedis({ url: await testRedisUrl(), role: 'fail-fast', name: 'test', onError: () => undefined });
  await whenReady(redis, 5000);
  const prefix = uniqueName('overfull');
  const keys = engineKeys(prefix, 0, 'campaign');
  const shares = Array.from({ length: 3000 }, (_, i) => ({ account: `a${i}`, events: i === 0 ? 2000 : 1, bytes: 1 }));
  for (let from = 0; from < shares.length; from += 1000)
    await createPublishCommands(redis, keys).queued(shares.slice(from, from + 1000));
  await redis.sadd(keys.overfull, 'a1');
  let writes = 0;
  const counted = new Proxy(redis, {
    get(target, name) {
      if (name === 'sadd' || name === 'srem') writes += 1;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const limits = { waitingMaxEvents: 1000, waitingMaxBytes: 1e9 };
  const accounts = await watchOverfullAccounts(new Installation(counted, prefix, 1), limits);
  accounts.close();
  expect(accounts.list()).toEqual(['a0']);
  expect(writes).toBeLessThan(100);
  await closeRedis(redis);
});
