import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fieldsOfEvent } from '@mailhook/core';
import { createEventLog, createFolderStore } from '@mailhook/event-log';
import { anEvent, eventually, uniqueName } from '@mailhook/testing';
import { startApi } from '../api-rig.suite.ts';

const HOUR_MS = 3_600_000;

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
