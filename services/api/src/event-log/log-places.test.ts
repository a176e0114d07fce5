import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { LogPage } from '@mailhook/core';
import { fieldsOfEvent } from '@mailhook/core';
import { createEventLog, createFolderStore } from '@mailhook/event-log';
import { createLogCommands, engineKeys } from '@mailhook/delivery';
import { anEvent, eventually, testRedisUrl, uniqueName } from '@mailhook/testing';
import { Redis } from 'ioredis';
import { startApi } from '../api-rig.suite.ts';

const HOUR_MS = 3_600_000;

test.each(['ended', 'open'])(
  'an api without EVENT_LOG leaves the buffer to others; then an %s chunk is a gap',
  async (is) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'mailhook-log-'));
    const base = { QUEUE_PREFIX: uniqueName('log') };
    const redis = new Redis(await testRedisUrl());
    const keys = engineKeys(base.QUEUE_PREFIX, 0, 'campaign');
    const commands = createLogCommands(redis, keys);
    const isOn = async () => (await commands.readState()).maxBytes > 0;
    const log: string[] = [];
    try {
      const on = await startApi({ ...base, EVENT_LOG: folder });
      const { id, token } = await on.newAccount();
      const off = await startApi(base, (line) => log.push(line));
      expect(await isOn()).toBe(true);
      expect(log.join()).toContain('another api has the event log on');
      await on.close();
      await off.close();
      // No segment has it when the last api ends.
      const acceptedAt = Date.now() - 60_000;
      const sets = [{ account: id, module: 'campaign', to: [], events: ['\n\n,"event":"open"'] }];
      if (is === 'open') await redis.zadd(keys.logOpen, acceptedAt, 'c1');
      else {
        await redis.hset(keys.logChunk('c1'), 'data', JSON.stringify({ acceptedAt, sets }));
        await redis.rpush(keys.logChunks, 'c1');
      }
      await (await startApi(base)).close();
      expect([await isOn(), await redis.keys(`${keys.shared}log:*`)]).toEqual([false, []]);
      const again = await startApi({ ...base, EVENT_LOG: folder });
      const search = async () => (await again.as(token)('post', '/v3/webhook/log/search', {})).body as LogPage;
      await eventually(async () => (await search()).items.length > 0, { what: 'the gap' });
      const { items } = await search();
      expect(items).toMatchObject([{ gap: { from: new Date(acceptedAt).toISOString(), reason: 'store' } }]);
      await again.close();
    } finally {
      redis.disconnect();
      await rm(folder, { recursive: true });
    }
  },
);

test.each(['is switched off', 'is moved'] as const)('the retention still counts when the log %s', async (how) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'mailhook-log-'));
  const base = { QUEUE_PREFIX: uniqueName('log'), EVENT_LOG_RETENTION: '1h' };
  const store = createFolderStore(folder);
  try {
    await (await startApi({ ...base, EVENT_LOG: folder })).close();
    const key = (await store.get('key')).toString();
    const closeAt = async (ms: number): Promise<void> => {
      const log = createEventLog({ store, key, retentionMs: HOUR_MS, nowMs: () => ms });
      const event = { acceptedAtMs: ms, chunk: `c${ms}`, n: 0, destinations: [] };
      const fields = fieldsOfEvent({ ...anEvent('open'), account: 'a' });
      await log.close('0', { events: [{ ...event, ...fields }], outcomes: [], gaps: [] });
    };
    const names = async () => (await store.list('segments/')).map(({ name }) => name);
    await closeAt(Date.now());
    const kept = await names();
    await closeAt(Date.now() - 2 * HOUR_MS);
    const more = how === 'is moved' ? { EVENT_LOG: path.join(folder, 'another') } : {};
    const api = await startApi({ ...base, ...more });
    await eventually(async () => (await names()).length === 1, { what: 'the end of the old segment' });
    expect(await names()).toEqual(kept);
    await api.close();
  } finally {
    await rm(folder, { recursive: true });
  }
});
