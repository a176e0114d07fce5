import { aCampaignEvent, acknowledge, eventually, startReceiver } from '@mailhook/testing';
import { callApi } from '../end-to-end/rig/customer.ts';
import { startStack } from './rig/stack.ts';

const ANNA = 'anna@example.com';
const OTHERS = Array.from({ length: 500 }, (_, i) => `r${i}@example.com`);

interface Erasure {
  readonly id: string;
  readonly finishedAt: string | null;
  readonly removed: { readonly waiting: number; readonly resends: number; readonly deadLetters: number };
  readonly kept: { readonly jobs: number };
}

test('an erasure survives a kill right after the answer, and all other events are delivered', async () => {
  const receiver = await startReceiver({ reply: () => ({ status: 500 }) });
  const good = await startReceiver({ reply: (request) => acknowledge(request.json) });
  const stack = await startStack({
    workers: { 'transactional-notifier': 0, 'campaign-batcher': 1 },
    env: { RETRY_SCHEDULE: '1h', BREAKER_FAILURES: '1' },
  });
  const admin = (method: string, path: string, body?: unknown) =>
    callApi(`${stack.opsUrl}/admin${path}`, stack.adminToken, method, body);
  const send = (emails: readonly string[]) =>
    callApi(
      `${stack.baseUrl}/v3/events`,
      stack.producerToken,
      'POST',
      emails.map((email) => aCampaignEvent({ account: 'acme', email })),
    );
  try {
    await admin('PUT', '/accounts/acme', { name: 'Acme' });
    const { token } = (await admin('POST', '/accounts/acme/tokens', {})).json as { token: string };
    const campaign = (address: string) =>
      callApi(`${stack.baseUrl}/v3/webhook/campaign`, token, 'PUT', { address, active: true });
    const details = async () => (await admin('GET', '/accounts/acme')).json as { events: number; failed: number };
    await campaign(receiver.url);
    // One batch fails and waits as a resend, and the destination is parked. All others wait.
    expect((await send([ANNA, 'first@example.com'])).status).toBe(202);
    await receiver.waitForRequests(1);
    expect((await send(OTHERS.flatMap((other) => [other, ANNA]))).status).toBe(202);
    await eventually(async () => (await details()).events === 2 * OTHERS.length + 2, { what: 'the waiting events' });

    expect((await admin('POST', '/accounts/none/erasures', { email: ANNA })).status).toBe(404);
    expect((await admin('POST', '/accounts/acme/erasures', {})).status).toBe(422);
    const answer = await admin('POST', '/accounts/acme/erasures', { email: ANNA.toUpperCase() });
    await stack.api.kill();
    const started = answer.json as Erasure;
    expect([answer.status, started]).toMatchObject([202, { account: 'acme', finishedAt: null }]);
    await stack.restartApi();
    const path = `/accounts/acme/erasures/${started.id}`;
    const read = async () => (await admin('GET', path)).json as Erasure;
    await eventually(async () => (await read()).finishedAt !== null, { withinMs: 30_000, what: 'the end' });
    const { removed, kept } = await read();
    // On a slow machine, a probe of the parked destination has made another resend.
    expect(removed.resends).toBeGreaterThan(0);
    expect(removed.waiting + removed.resends).toBe(OTHERS.length + 1);
    expect([removed.deadLetters, kept]).toMatchObject([0, { inFlight: 0, queued: 0 }]);
    expect((await admin('GET', `/accounts/other/erasures/${started.id}`)).status).toBe(404);
    expect((await details()).events).toBe(OTHERS.length + 1);

    await campaign(good.url);
    await eventually(
      async () => {
        await callApi(`${stack.baseUrl}/v3/webhook/destinations/campaign/send-now`, token, 'POST');
        return (await details()).events === 0;
      },
      { withinMs: 30_000, what: 'all deliveries' },
    );
    const delivered = good.requests.flatMap(({ json }) => (json as { email: string }[]).map(({ email }) => email));
    expect(delivered.sort()).toEqual(['first@example.com', ...OTHERS].sort());

    // The address itself is in no record of a finished erasure, nor in the audit log.
    const another = (await admin('POST', '/accounts/acme/erasures', { email: ANNA })).json as Erasure;
    const audit = async () =>
      (await admin('GET', '/audit?account=acme')).json as { items: { action: string; object: string }[] };
    const isAudited = async () =>
      (await audit()).items.some(
        ({ action, object }) => action === 'erase events of a recipient' && object === another.id,
      );
    await eventually(isAudited, { what: 'the audit entry' });
    expect(JSON.stringify(await audit()).toLowerCase()).not.toContain(ANNA);
    const keys = (await stack.client.keys('*erasure*')).filter((key) => key.endsWith(started.id));
    expect(keys).toHaveLength(1);
    expect(JSON.stringify(await stack.client.hgetall(keys[0] ?? '')).toLowerCase()).not.toContain(ANNA);
  } finally {
    await stack.close();
    await Promise.all([receiver.close(), good.close()]);
  }
}, 120_000);

test('an erasure waits for a chunk that no worker has taken, and removes its event when one runs', async () => {
  const receiver = await startReceiver({ reply: (request) => acknowledge(request.json) });
  const stack = await startStack({ workers: { 'transactional-notifier': 0, 'campaign-batcher': 0 } });
  const admin = (method: string, path: string, body?: unknown) =>
    callApi(`${stack.opsUrl}/admin${path}`, stack.adminToken, method, body);
  const send = (email: string) =>
    callApi(`${stack.baseUrl}/v3/events`, stack.producerToken, 'POST', aCampaignEvent({ account: 'acme', email }));
  try {
    await admin('PUT', '/accounts/acme', { name: 'Acme' });
    const { token } = (await admin('POST', '/accounts/acme/tokens', {})).json as { token: string };
    const address = receiver.url;
    await callApi(`${stack.baseUrl}/v3/webhook/campaign`, token, 'PUT', { address, active: true });
    expect((await admin('POST', '/destinations/campaign-acme/pause', { minutes: 60 })).status).toBe(200);
    expect([(await send(ANNA)).status, (await send('bob@example.com')).status]).toEqual([202, 202]);

    const { id } = (await admin('POST', '/accounts/acme/erasures', { email: ANNA })).json as Erasure;
    const read = async () => (await admin('GET', `/accounts/acme/erasures/${id}`)).json as Erasure;
    await eventually(async () => (await read()).kept.jobs > 0, { what: 'the chunks to count' });
    await stack.api.kill();
    await stack.restartApi();
    expect(await read()).toMatchObject({ finishedAt: null });
    await stack.startWorker('campaign-batcher');
    await eventually(async () => (await read()).finishedAt !== null, { withinMs: 30_000, what: 'the end' });
    expect(await read()).toMatchObject({ removed: { waiting: 1 }, kept: { inFlight: 0, jobs: 0 } });

    expect((await admin('POST', '/destinations/campaign-acme/resume')).status).toBe(200);
    await receiver.waitForRequests(1);
    expect(receiver.requests.map(({ json }) => (json as { email: string }[]).map(({ email }) => email))).toEqual([
      ['bob@example.com'],
    ]);
  } finally {
    await stack.close();
    await receiver.close();
  }
}, 120_000);
