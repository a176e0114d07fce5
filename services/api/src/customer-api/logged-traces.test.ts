import { rename, rm, writeFile } from 'node:fs/promises';
import { destinationIdOf, fieldsOfEvent } from '@mailhook/core';
import type { EventTraces, LogEntry, LogPage } from '@mailhook/core';
import { outcomeKey } from '@mailhook/event-log';
import { anEvent } from '@mailhook/testing';
import { startLoggingApi } from '../logged-events.suite.ts';

test('a delivery whose row is gone is found by its outcome, and a store that is away hides only that', async () => {
  const { api, folder, write, close } = await startLoggingApi();
  try {
    const account = await api.newAccount();
    const call = api.as(account.token);
    const destination = destinationIdOf(account.id, 'd1');
    const event = { ...anEvent('open', { id: 'evt-1', email: 'anna@example.com' }), account: account.id };
    const acceptedAtMs = Date.now() - 60_000;
    const outcome = {
      result: 'delivered',
      attempt: 2,
      atMs: acceptedAtMs + 500,
      webhookId: 'msg_1',
      replay: '',
    } as const;
    await write({
      events: [{ acceptedAtMs, chunk: 'c1', n: 0, destinations: [destination], ...fieldsOfEvent(event) }],
      outcomes: [{ ...outcome, account: account.id, destination, keys: outcomeKey('evt-1') }],
    });
    const find = async (wanted: object) =>
      (await call('post', '/v3/webhook/events/search', wanted)).body as EventTraces;
    const [acceptedAt, deliveredAt] = [acceptedAtMs, acceptedAtMs + 500].map((ms) => new Date(ms).toISOString());
    const item = { destination: 'd1', state: 'delivered', attempts: 2, acceptedAt, deliveredAt, type: 'open' };
    for (const wanted of [{ id: 'evt-1' }, { email: 'Anna@example.com' }, { messageId: event.messageId }])
      expect(await find(wanted)).toMatchObject({ items: [{ ...item, id: 'evt-1' }], attempts: [], isComplete: true });
    expect(await find({ id: 'evt-2' })).toMatchObject({ items: [], isComplete: true });
    const page = (await call('post', '/v3/webhook/log/search', {})).body as LogPage;
    const [entry] = page.items.flatMap((one) => ('gap' in one ? [] : [one.entry]));
    const read = (await call('get', `/v3/webhook/log/${entry}`)).body as LogEntry;
    const delivered = { id: 'd1', outcome: 'delivered', attempts: 2, at: deliveredAt, webhookId: 'msg_1' };
    expect([read.destinations, read.attempts]).toEqual([[delivered], []]);
    const lost = { ...anEvent('bounce', { id: 'evt-3', email: 'jo@example.com' }), account: account.id };
    const discarded = { ...outcome, result: 'discarded', webhookId: '' } as const;
    await write({
      events: [{ acceptedAtMs, chunk: 'c2', n: 0, destinations: [destination], ...fieldsOfEvent(lost) }],
      outcomes: [{ ...discarded, account: account.id, destination, keys: outcomeKey('evt-3') }],
    });
    const deleted = { destination: 'd1', state: 'failed', attempts: 2, discardedAt: deliveredAt, type: 'bounce' };
    for (const wanted of [{ id: 'evt-3' }, { email: 'jo@example.com' }])
      expect((await find(wanted)).items).toMatchObject([deleted]);
    await rename(folder, `${folder}-away`);
    // A folder that is none cannot be read.
    await writeFile(folder, '');
    const withoutStore = await find({ id: 'evt-1' });
    await rm(folder);
    await rename(`${folder}-away`, folder);
    expect(withoutStore).toMatchObject({ items: [], isComplete: false });
  } finally {
    await close();
  }
});
