import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { campaignDestinationId, EMAIL_EVENTS_QUEUE } from '@mailhook/core';
import { aClick, eventually } from '@mailhook/testing';
import { ADMIN_TOKEN, PRODUCER_TOKEN, startApi } from '../api-rig.suite.ts';
import type { ApiRig } from '../api-rig.suite.ts';
import { adminEndpoints } from '../endpoints/admin/index.ts';
import { customerEndpoints } from '../endpoints/customer/index.ts';
import { createAdminDocument } from './admin-document.ts';
import { documentedCalls, nameless, readDocument, validateDocument } from './documented.suite.ts';

const document = createAdminDocument();
const documented = readDocument(document);

test('the document is valid OpenAPI 3.1, with named schemas and operations, and examples that fit', async () => {
  await expect(validateDocument(document)).resolves.toEqual({ valid: true });
  expect(documented.exampleFaults()).toEqual([]);
  expect(nameless(document)).toEqual([]);
  expect(new Set(documented.operationIds).size).toBe(documented.operationIds.length);
});

test('texts of spaces only do not match the document', () => {
  const text = JSON.stringify(document.paths?.['/admin/search']);
  const prefix = JSON.stringify(document.paths?.['/admin/accounts']);
  for (const parameters of [text, prefix]) expect(parameters).toContain(String.raw`"pattern":"\\S"`);
});

test.each([
  ['post /admin/dead-letters/discard', {}, false],
  ['post /admin/dead-letters/discard', { all: true }, true],
  ['post /admin/accounts/{account}/erasures', {}, false],
  ['post /admin/accounts/{account}/erasures', { email: '   ' }, false],
  ['post /admin/accounts/{account}/erasures', { email: 'a@b.c', messageId: 'm' }, false],
  ['post /admin/accounts/{account}/erasures', { messageId: 'm' }, true],
  ['post /admin/accounts', { name: ' ' }, false],
  ['post /admin/accounts/{account}/portal', { path: '/settings/webhooks#deliveries' }, true],
  ['post /admin/accounts/{account}/portal', { path: '//example.com/settings/webhooks' }, false],
  ['post /admin/destinations/{destination}/drop', { confirm: 'campaign-acme:eu.1' }, true],
  ['post /admin/destinations/{destination}/drop', { confirm: '' }, false],
])('the document says of %s with %j whether it is taken: %j', (operation, body, isTaken) => {
  expect(documented.takesBody(operation, body)).toBe(isTaken);
});

test('every documented change is in the audit log, but for tests, checks, searches and events', () => {
  const all = [...customerEndpoints, ...adminEndpoints];
  const others = all.filter(({ method, audit }) => method !== 'get' && audit === undefined);
  expect(others.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
    'post /v3/webhook/alert-webhooks/:id/test',
    'post /v3/webhook/campaign/test',
    'post /v3/webhook/destinations/:id/test',
    'post /v3/webhook/doctor',
    'post /v3/webhook/events/search',
    'post /v3/webhook/log/search',
    'post /v3/webhook/notificationTest/',
  ]);
});

describe('real answers', () => {
  let api: ApiRig;
  const seen = new Set<string>();

  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  const caller = (token: string | undefined) =>
    documentedCalls(documented, api.opsAs(token), (operation, status) => {
      if (status < 300) seen.add(operation);
    });

  test('of every operation are as documented', async () => {
    const call = caller(ADMIN_TOKEN);
    const { id: account } = (await call('post /admin/accounts', { name: 'Acme' })) as { id: string };
    const one = { account };
    const { id: token, token: secret } = (await call('post /admin/accounts/{account}/tokens', undefined, one)) as {
      id: string;
      token: string;
    };
    const destination = await api.subscribe({ id: account, token: secret, tokenId: token }, 'click');
    await api.post(aClick({ account }));
    const at = { destination };
    await call('get /admin/accounts', undefined, { query: '?limit=1' });
    await call('get /admin/accounts/{account}/tokens', undefined, one);
    await call('put /admin/accounts/{account}', { name: 'Acme Europe' }, one);
    const producer = (await call('post /admin/producer-tokens', { accounts: [account] })) as { id: string };
    await call('get /admin/producer-tokens');
    await call('post /admin/accounts/{account}/portal', {}, one);
    await call('delete /admin/accounts/{account}/portal', undefined, one);
    await call('delete /admin/producer-tokens/{token}', undefined, { token: producer.id });
    await call('get /admin/audit', undefined, { query: '?limit=2' });
    await call('post /admin/destinations/{destination}/pause', { minutes: 1 }, at);
    await call('get /admin/destinations', undefined, { query: '?state=paused' });
    await call('get /admin/accounts/{account}', undefined, one);
    await call('get /admin/search', undefined, { query: '?text=Acme' });
    await call('get /admin/search', undefined, { query: `?text=${destination}` });
    await failAJob(api);
    await call('get /admin/overview');
    await call('post /admin/destinations/{destination}/resume', undefined, at);
    await call('get /admin/destinations/{destination}', undefined, at);
    await call('post /admin/destinations/{destination}/send-now', undefined, at);
    await call('post /admin/destinations/{destination}/drop', { confirm: destination }, at);
    await call('get /admin/dead-letters');
    await call('post /admin/dead-letters/redrive', { account });
    await call('post /admin/dead-letters/discard', { account });
    await call('delete /admin/accounts/{account}/tokens/{token}', undefined, { ...one, token });
    const { id: erasure } = (await call(
      'post /admin/accounts/{account}/erasures',
      { email: 'a@example.com' },
      one,
    )) as {
      id: string;
    };
    await call('get /admin/accounts/{account}/erasures/{erasure}', undefined, { ...one, erasure });
    await call('delete /admin/accounts/{account}', undefined, one);
    await call('get /admin/accounts/{account}/deletion', undefined, one);
    await call('put /admin/accounts/{account}', { name: 'Acme' }, { account: 'acme:eu.1' });
    // Only a worker parks a destination. The answer is the same as of the other actions.
    const needsWorker = 'post /admin/destinations/{destination}/probe';
    expect([...seen].sort()).toEqual(documented.operations.filter((operation) => operation !== needsWorker).sort());
  });

  test('of every operation with a body refuse null, which many serializers write for nothing', async () => {
    const { id: account } = await api.newAccount();
    const where = { account, destination: campaignDestinationId(account) };
    for (const operation of documented.withBody) {
      const reply = await caller(ADMIN_TOKEN)(operation, null, where);
      expect([operation, reply]).toMatchObject([operation, { code: 'validation_failed' }]);
    }
  });

  test('of refused requests are as documented', async () => {
    const nothing = { account: 'x', token: 'x', destination: 'x', erasure: 'x' };
    const { id: account, token } = await api.newAccount();
    await api.as(token)('put', '/v3/webhook/campaign', { address: 'http://127.0.0.1:9/', active: false });
    const call = caller(ADMIN_TOKEN);
    for (const operation of documented.operations) {
      await caller(undefined)(operation, undefined, nothing);
      await caller(PRODUCER_TOKEN)(operation, undefined, nothing);
      if (operation.includes('{')) await call(operation, {}, nothing);
    }
    await call('post /admin/accounts', { name: '' });
    await call('get /admin/search');
    await call('put /admin/accounts/{account}', { name: 'Acme' }, { account: 'a b' });
    await call('delete /admin/producer-tokens/{token}', undefined, { token: 'environment' });
    await call('get /admin/destinations', undefined, { query: '?limit=0' });
    await call('post /admin/dead-letters/discard', {});
    const destination = campaignDestinationId(account);
    await call('post /admin/destinations/{destination}/probe', undefined, { destination });
  });

  test('of the document itself: it is on the operations port alone, without a token', async () => {
    const reply = await fetch(`${api.opsUrl}/admin/openapi.json`);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(await reply.json()).toEqual(JSON.parse(JSON.stringify(document)));
    expect((await fetch(`${api.baseUrl}/admin/openapi.json`)).status).toBe(404);
  });
});

/** Lets the overview report rejections. */
async function failAJob({ redisUrl, prefix }: ApiRig): Promise<void> {
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
  const queue = new Queue(EMAIL_EVENTS_QUEUE, { connection, prefix });
  try {
    await queue.add('malformed', {});
    await eventually(async () => (await queue.getFailedCount()) === 1, { what: 'the job to fail' });
  } finally {
    await queue.close();
    connection.disconnect();
  }
}
