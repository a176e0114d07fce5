import { fieldsOfEvent } from '@mailhook/core';
import type { OperationsReport } from '@mailhook/core';
import { engineKeys } from '@mailhook/delivery';
import { anEvent, eventually } from '@mailhook/testing';
import { Redis } from 'ioredis';
import { startLoggingApi } from '../logged-events.suite.ts';

test('operators see what the store holds, how long it takes, and what the log lacks', async () => {
  const { api, write, close } = await startLoggingApi();
  const redis = new Redis(api.redisUrl);
  try {
    const acceptedAtMs = Date.now() - 60_000;
    const event = { acceptedAtMs, chunk: 'c1', n: 0, destinations: [] };
    await write({ events: [{ ...event, ...fieldsOfEvent({ ...anEvent('open'), account: 'a' }) }] });
    const read = async () =>
      ((await api.admin('get', '/admin/overview')).body as OperationsReport).installation.eventLog;
    const first = await read();
    expect(first).toMatchObject({ segments: 1, oldestAt: new Date(acceptedAtMs).toISOString(), gapEvents: 0 });
    expect(first?.storedBytes).toBeGreaterThan(0);
    expect(first?.storeP95Ms).toBeGreaterThan(0);
    const keys = engineKeys(api.prefix, 0, 'campaign');
    await redis.hset(keys.logGaps, 'a', `${acceptedAtMs} ${acceptedAtMs} 7`);
    await redis.hset(keys.logState, 'bytes', 5_000_000);
    await eventually(async () => (await read())?.gapEvents === 7, { withinMs: 15_000, what: 'the gap' });
    const metrics = (await api.opsAs(undefined)('get', '/metrics')).text;
    expect(metrics).toMatch(/mailhook_event_log_oldest_stored_seconds [1-9]/);
    expect(metrics).toMatch(/mailhook_event_log_store_seconds_count\{operation="list"\} [1-9]/);
  } finally {
    redis.disconnect();
    await close();
  }
});
