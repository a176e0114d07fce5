import { fieldsOfEvent } from '@mailhook/core';
import { EMPTY, START_MS } from './arbitrary-log.suite.ts';
import type { LoggedEvent } from './entry.ts';
import { createEventLog } from './event-log.ts';
import { DAY_MS, HOUR_MS } from './maintenance.ts';
import { createMemoryStore } from './memory-store.suite.ts';
import type { MemoryStore } from './memory-store.suite.ts';
import type { LogStore } from './store.ts';

const RETENTION_MS = 3 * DAY_MS;

describe('the retention', () => {
  let nowMs: number;
  const objects = (store: MemoryStore) => [...store.objects.keys()].filter((name) => name.startsWith('segments/'));
  beforeEach(() => {
    nowMs = START_MS;
  });

  const event = (n: number, email = 'bob@example.com'): LoggedEvent => ({
    acceptedAtMs: nowMs,
    chunk: `c${n}`,
    n: 0,
    destinations: [],
    ...fieldsOfEvent({
      account: 'acme',
      module: 'transactional_email',
      time: 1,
      name: 'sent',
      messageId: `m${n}`,
      email,
    }),
  });

  it.each([10 * HOUR_MS, RETENTION_MS])('has no bytes a tenth beyond the retention (%s ms)', async (retentionMs) => {
    const store = createMemoryStore(() => nowMs);
    const log = createEventLog({ store, key: 'secret', retentionMs, nowMs: () => nowMs });
    // Every object has an event that was accepted 15 s before its first closing.
    const ACCEPTED_BEFORE_MS = 15_000;
    let latestMs = 0;
    const firstMs = nowMs;
    for (let n = 0; nowMs < firstMs + 1.4 * retentionMs; n += 1) {
      if (nowMs < firstMs + 0.2 * retentionMs)
        await log.close('0', { ...EMPTY, events: [{ ...event(n), acceptedAtMs: nowMs - ACCEPTED_BEFORE_MS }] });
      nowMs += 60_000;
      // Just before the next run of maintenance.
      for (const name of objects(store)) {
        const acceptedAtMs = Number(name.split('/')[2]?.split('-')[0]) - ACCEPTED_BEFORE_MS;
        latestMs = Math.max(latestMs, nowMs - acceptedAtMs - retentionMs);
      }
      await log.maintain('0');
    }
    expect(objects(store)).toEqual([]);
    expect(latestMs).toBeGreaterThan(0);
    expect(latestMs).toBeLessThanOrEqual(Math.max(retentionMs / 10, HOUR_MS));
  });

  it('still counts while a full disk takes no bytes, so that there is space again', async () => {
    const store = createMemoryStore(() => nowMs);
    const put: MemoryStore['put'] = async (name, chunks) => {
      for await (const chunk of chunks) if (chunk.length > 0) throw new Error('ENOSPC');
      await store.put(name, []);
    };
    const open = (through: LogStore) =>
      createEventLog({ store: through, key: 'secret', retentionMs: RETENTION_MS, nowMs: () => nowMs });
    await open(store).close('0', { ...EMPTY, events: [event(1)] });
    nowMs += RETENTION_MS;
    for (let n = 2; n < 4; n += 1) await open(store).close('0', { ...EMPTY, events: [event(n)] });
    nowMs += DAY_MS;
    await expect(open({ ...store, put }).maintain('0')).rejects.toThrow('ENOSPC');
    expect(objects(store)).toHaveLength(2);
    await open(store).maintain('0');
    expect(objects(store)).toHaveLength(3);
  });

  it('deletes and forgets nothing while the clocks of apis and store are days ahead of the reference', async () => {
    const store = createMemoryStore(() => nowMs);
    let referenceMs = nowMs;
    const clockMs = () => Promise.resolve(referenceMs);
    const log = createEventLog({ store, key: 'secret', retentionMs: RETENTION_MS, nowMs: () => nowMs, clockMs });
    await log.close('0', { ...EMPTY, events: [event(1), event(2, 'anna@example.com')] });
    await log.erase('acme', { email: 'anna@example.com' });
    await log.addLost('0', { fromMs: nowMs - 1, toMs: nowMs, reason: 'redis' });
    const kept = [...store.objects.keys()];
    nowMs += 4 * DAY_MS;
    expect(await log.maintain('0')).toMatchObject({ deleted: 0, clockDifferenceMs: 4 * DAY_MS });
    expect([...store.objects.keys()]).toEqual(expect.arrayContaining(kept));
    // Names say the time of the reference too, so that the clock of one api ages nothing.
    await log.close('0', { ...EMPTY, events: [event(3)] });
    expect(objects(store).every((name) => name.includes(`/${referenceMs}-`))).toBe(true);
    referenceMs = nowMs;
    await log.maintain('0');
    expect(objects(store)).toEqual([]);
  });
});
