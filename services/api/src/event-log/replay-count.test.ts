import { destinationIdOf, fieldsOfEvent } from '@mailhook/core';
import { anEvent, eventually } from '@mailhook/testing';
import { startLoggingApi } from '../logged-events.suite.ts';

const HOUR_MS = 3_600_000;

test('the count before a replay honours the filter of the destination', async () => {
  const { api, write, close } = await startLoggingApi();
  try {
    const account = await api.newAccount();
    const call = api.as(account.token);
    const target = { module: 'transactional_email', types: ['open'], version: 2, filter: { tags: ['vip'] } };
    const made = await call('post', '/v3/webhook/destinations', { ...target, address: 'http://127.0.0.1:9/hook' });
    const { id } = made.body as { id: string };
    const acceptedAtMs = Date.now() - HOUR_MS;
    const events = [['vip'], ['vip', 'a'], ['b'], []].map((tags, n) => ({
      acceptedAtMs: acceptedAtMs + n,
      chunk: 'c1',
      n,
      destinations: [destinationIdOf(account.id, id)],
      ...fieldsOfEvent({ ...anEvent('open', { tags }), account: account.id }),
    }));
    await write({ events });
    const span = { from: new Date(acceptedAtMs).toISOString(), to: new Date().toISOString(), dryRun: true };
    const count = async (filter?: true) =>
      (await call('post', `/v3/webhook/destinations/${id}/replay`, { ...span, filter })).body as { events: number };
    await eventually(async () => (await count()).events === 4, { what: 'all events' });
    expect(await count(true)).toMatchObject({ events: 2, isComplete: true });
  } finally {
    await close();
  }
});
