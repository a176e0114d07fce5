import { setImmediate as nextTurn } from 'node:timers/promises';
import { version1Route } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import { aClick, eventually, testRedisUrl, uniqueName } from '@mailhook/testing';
import { Installation } from '../mailbox/installation.ts';
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
    await accounts.count(0, [{ account: event.account, events: 1, bytes: 6_000_000 }]);
    const priority = (): number => accounts.priorityOf(0, [{ event, destinations: ['d'].map(version1Route) }], 300);
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
