import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { address, destinationSettingsInput } from '@mailhook/core';
import { anOpen, startReceiver } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import { PRODUCER_TOKEN, startApi } from '../api-rig.suite.ts';
import type { ApiRig } from '../api-rig.suite.ts';
import { createApiDocument } from './document.ts';
import { documentedCalls, nameless, readDocument, validateDocument } from './documented.suite.ts';

const document = createApiDocument();
const documented = readDocument(document);

test('the document is valid OpenAPI 3.1', async () => {
  await expect(validateDocument(document)).resolves.toEqual({ valid: true });
});

test('texts name the deadline of the installation', () => {
  expect(JSON.stringify(document)).toContain('no complete reply within 5 s:');
  const other = JSON.stringify(createApiDocument(undefined, 400));
  expect(other.match(/within 400 ms/g)?.length).toBeGreaterThan(4);
  expect(other).not.toMatch(/within (?:5 s|\{deadline\})/);
});

test('every example matches its schema', () => {
  expect(documented.exampleFaults()).toEqual([]);
});

test('every object in a union or in a list has a name, so that readers see it in place of `object`', () => {
  expect(nameless(document)).toEqual([]);
  expect(Object.keys(document.components?.schemas ?? {})).toEqual(
    expect.arrayContaining(['OpenNotification', 'TestFailure']),
  );
  expect(Object.keys(document.components?.schemas ?? {}).filter((name) => name.endsWith('Output'))).toEqual([]);
});

test('every operation has a unique name', () => {
  expect(new Set(documented.operationIds).size).toBe(documented.operationIds.length);
});

test.each([
  [{ 'X-Team': 'mail', authorization: true }, true],
  [{ 'a b': 'x' }, false],
  [{ '': 'x' }, false],
  [{ host: 'x' }, false],
  [{ 'webhook-id': 'x' }, false],
  [{ 'x-team': ' ' }, false],
  [{ 'x-team': '' }, false],
])('the document says of the custom headers %j whether they are taken: %j', (headers, isTaken) => {
  expect(documented.hasSchema('DestinationSettingsInput', { headers })).toBe(isTaken);
  expect(destinationSettingsInput.safeParse({ headers }).success).toBe(isTaken);
});

test.each([
  ['HTTPS://hooks.example.com?a=b@c', true],
  ['http://[::1]:4000/hook#top', true],
  ['https://bücher.example/ü', true],
  ['ftp://example.com/', false],
  ['https:///hook', false],
  ['https://example.com/a b', false],
  ['https://anna:secret@example.com/', false],
  [`https://example.com/${'a'.repeat(2048)}`, false],
])('the document says of the address %s whether it is taken: %j', (url, isTaken) => {
  expect(documented.takesBody('put /v3/webhook/campaign', { address: url })).toBe(isTaken);
  expect(address.safeParse(url).success).toBe(isTaken);
});

test('a search for an event has exactly one field in the document', () => {
  const bodies = [{}, { email: 'a@b.c' }, { email: 'a@b.c', messageId: 'm' }];
  expect(bodies.map((body) => documented.takesBody('post /v3/webhook/events/search', body))).toEqual([
    false,
    true,
    false,
  ]);
});

describe('real answers', () => {
  let api: ApiRig;
  let receiver: FakeReceiver;
  let folder: string;
  const seen = new Set<string>();

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'event-log-'));
    api = await startApi({
      SMTP_URL: 'smtp://127.0.0.1:9',
      SMTP_FROM: 'alerts@example.com',
      PUBLIC_URL: 'http://127.0.0.1:3000',
      EVENT_LOG: folder,
    });
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await Promise.all([api.close(), receiver.close()]);
    await rm(folder, { recursive: true, force: true });
  });

  const caller = (token: string | undefined) =>
    documentedCalls(documented, api.as(token), (operation, status) => {
      if (status < 300) seen.add(operation);
    });

  test('of every operation are as documented', async () => {
    const { token, id: account } = await api.newAccount();
    const call = caller(token);
    const address = `${receiver.url}/hook`;
    const input = { address, type: 'click', module: 'transactional_email' };
    const { id } = (await call('post /v3/webhook/subscriptions', input)) as { id: string };
    await call('get /v3/webhook/subscriptions');
    await call('get /v3/webhook/subscriptions/{id}', undefined, { id });
    await call('put /v3/webhook/subscriptions/{id}', { module: input.module, active: 0 }, { id });
    await call('delete /v3/webhook/subscriptions/{id}', undefined, { id });
    await call('post /v3/webhook/notificationTest/', input);
    await call('get /v3/webhook/campaign');
    await call('put /v3/webhook/campaign', { address });
    await call('post /v3/webhook/campaign/test', {});
    await call('post /v3/webhook/campaign/test', { address: 'http://127.0.0.1:9/' });
    await call('post /v3/webhook/doctor', { address, kind: 'campaign' });
    await call('get /v3/webhook/destinations');
    const filter = { tags: ['receipt'], domains: ['.example.net'] };
    const made = { address, module: 'campaign', types: ['*'], shape: 'array', filter };
    const created = (await call('post /v3/webhook/destinations', made)) as { id: string };
    await call('get /v3/webhook/destinations/{id}', undefined, created);
    await call('post /v3/webhook/destinations/{id}/test', { type: 'complaint' }, created);
    await call('delete /v3/webhook/destinations/{id}', undefined, created);
    const campaign = { id: 'campaign' };
    await call('post /v3/webhook/destinations/{id}/pause', { minutes: 1 }, campaign);
    await call('post /v3/webhook/destinations/{id}/resume', undefined, campaign);
    await call('post /v3/webhook/destinations/{id}/send-now', {}, campaign);
    await call('put /v3/webhook/destinations/{id}/settings', { headers: { 'X-Team': 'mail' } }, campaign);
    await call('get /v3/webhook/destinations/{id}/settings', undefined, campaign);
    const own = (await call('post /v3/webhook/destinations/{id}/secrets', undefined, campaign)) as { id: string };
    await call('get /v3/webhook/destinations/{id}/secrets', undefined, campaign);
    const ids = { id: 'campaign', secret: own.id };
    await call('post /v3/webhook/destinations/{id}/secrets/roll', { hours: 1 }, campaign);
    await call('delete /v3/webhook/destinations/{id}/secrets/{secret}', undefined, ids);
    await call('get /v3/webhook/deliveries', undefined, { query: '?limit=2' });
    await call('get /v3/webhook/events', undefined, { query: '?messageId=m-1' });
    await call('post /v3/webhook/events/search', { email: 'anna@example.com' });
    await call('get /v3/webhook/dead-letters');
    await call('get /v3/webhook/dead-letters/groups');
    await call('post /v3/webhook/dead-letters/redrive', {});
    await call('post /v3/webhook/dead-letters/redrive/stop');
    await call('post /v3/webhook/dead-letters/discard', { groups: ['none.campaign'] });
    await call('post /v3/webhook/log/search', { limit: 2 });
    const span = { from: new Date(Date.now() - 1000).toISOString(), to: new Date().toISOString() };
    await call('post /v3/webhook/destinations/{id}/replay', { ...span, dryRun: true }, campaign);
    const started = (await call('post /v3/webhook/destinations/{id}/replay', span, campaign)) as { id: string };
    const replay = { id: 'campaign', replay: started.id };
    await call('get /v3/webhook/destinations/{id}/replays', undefined, campaign);
    await call('get /v3/webhook/destinations/{id}/replays/{replay}', undefined, replay);
    await call('delete /v3/webhook/destinations/{id}/replays/{replay}', undefined, replay);
    const newToken = (await call('post /v3/webhook/tokens', { label: 'ci', access: 'read' })) as { id: string };
    await call('get /v3/webhook/tokens');
    await call('get /v3/webhook/changes', undefined, { query: '?limit=2' });
    await call('delete /v3/webhook/tokens/{id}', undefined, { id: newToken.id });
    const secret = (await call('post /v3/webhook/secrets')) as { id: string };
    await call('get /v3/webhook/secrets');
    await call('post /v3/webhook/secrets/roll');
    await call('delete /v3/webhook/secrets/{id}', undefined, { id: secret.id });
    const alert = (await call('post /v3/webhook/alerts', { email: 'ops@example.com' })) as { id: string };
    await call('get /v3/webhook/alerts');
    await call('put /v3/webhook/alerts/{id}', { kinds: ['failing'], muted: [] }, { id: alert.id });
    const chat = (await call('post /v3/webhook/alert-webhooks', { address: 'http://127.0.0.1:9/' })) as { id: string };
    await call('get /v3/webhook/alert-webhooks');
    await call('post /v3/webhook/alert-webhooks/{id}/test', undefined, { id: chat.id });
    await call('delete /v3/webhook/alert-webhooks/{id}', undefined, { id: chat.id });
    await call('delete /v3/webhook/alerts/{id}', undefined, { id: alert.id });
    await caller(PRODUCER_TOKEN)('post /v3/events', anOpen({ account }));
    expect(await call('get /v3/webhook/dead-letters.csv')).toMatch(/^\uFEFFdeadLetter,/);
    // test/engine/documented-answers reads a dead letter and an attempt, and test/end-to-end/event-log an entry of the
    // log, which need a worker.
    const needWorker = [
      'get /v3/webhook/dead-letters/{id}',
      'get /v3/webhook/deliveries/{id}',
      'get /v3/webhook/log/{entry}',
    ];
    const others = documented.operations.filter((one) => !needWorker.includes(one));
    expect([...seen].sort()).toEqual(others.sort());
  });

  test('of every operation with a body refuse null, which many serializers write for nothing', async () => {
    const { token } = await api.newAccount();
    for (const operation of documented.withBody) {
      const call = documentedCalls(documented, api.as(operation.endsWith('/v3/events') ? PRODUCER_TOKEN : token));
      expect([operation, await call(operation, null, { id: 'campaign' })]).toMatchObject([
        operation,
        { code: 'validation_failed' },
      ]);
    }
  });

  test('of requests with too many headers are the 431 without a body of the document', async () => {
    const reply = await fetch(`${api.baseUrl}/v3/webhook/campaign`, { headers: { 'x-filler': 'x'.repeat(20_000) } });
    expect([reply.status, await reply.text()]).toEqual([431, '']);
  });

  test('of refused requests are as documented', async () => {
    const { token } = await api.newAccount();
    const call = caller(token);
    for (const operation of documented.operations)
      await caller(undefined)(operation, undefined, { id: 'x', secret: 'x', replay: 'x', entry: 'x' });
    for (const operation of documented.operations) {
      const wrongKind = operation.endsWith('/v3/events') ? token : PRODUCER_TOKEN;
      await caller(wrongKind)(operation, undefined, { id: 'x', secret: 'x', replay: 'x', entry: 'x' });
    }
    await call('post /v3/webhook/subscriptions', { type: 'none' });
    await call('put /v3/webhook/subscriptions/{id}', { module: 'transactional_email' }, { id: 'x' });
    await call('get /v3/webhook/deliveries', undefined, { query: '?limit=0' });
    await call('get /v3/webhook/events');
    await call('put /v3/webhook/destinations/{id}/settings', { headers: { host: 'x' } }, { id: 'campaign' });
    await call('post /v3/webhook/doctor', { kind: 'campaign' });
    for (let number = 0; number < 3; number += 1) {
      await call('post /v3/webhook/secrets');
      await call('post /v3/webhook/destinations/{id}/secrets', undefined, { id: 'campaign' });
    }
    await caller(PRODUCER_TOKEN)('post /v3/events', anOpen({ account: 'nobody' }));
    await caller(PRODUCER_TOKEN)('post /v3/events', [{}]);
  });
});

describe('the documentation page', () => {
  let api: ApiRig;
  beforeAll(async () => {
    api = await startApi({ PUBLIC_URL: 'https://mail.example.com/' });
  });
  afterAll(() => api.close());

  const get = (where: string): Promise<Response> => fetch(api.baseUrl + where);

  test('serves a document that names the public URL of the API', async () => {
    const reply = await get('/openapi.json');
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await reply.json()).toMatchObject({ openapi: '3.1.1', servers: [{ url: 'https://mail.example.com' }] });
  });

  test('loads nothing from other sites and runs no inline script', async () => {
    const reply = await get('/docs/subscriptions');
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-security-policy')).toMatch(/script-src 'self';/);
    const html = await reply.text();
    const scripts = [...html.matchAll(/<script([^>]*)>([^<]*)<\/script>/g)];
    const sources = scripts.map(([, attributes = '', text = '']) => {
      expect(text.trim()).toBe('');
      return /src="([^"]+)"/.exec(attributes)?.[1] ?? '';
    });
    const styles = [...html.matchAll(/<link[^>]*href="([^"]+)"/g)].map(([, href = '']) => href);
    expect(sources).toHaveLength(1);
    for (const source of [...sources, ...styles]) {
      expect(source).toMatch(/^\/\w/);
      expect((await get(source)).status).toBe(200);
    }
  });

  test('shows each operation on the page of its group, and every page in the navigation', async () => {
    const { paths, webhooks } = (await (await get('/openapi.json')).json()) as Record<'paths' | 'webhooks', Items>;
    const operations = [...Object.values(paths), ...Object.values(webhooks)].flatMap((item) => Object.values(item));
    const overview = await (await get('/docs')).text();
    const pages = [...new Set([...overview.matchAll(/href="(\/docs\/[a-z-]+)"/g)].map(([, url = '']) => url))];
    const texts = await Promise.all(pages.map(async (url) => (await get(url)).text()));
    for (const { operationId, summary } of operations) {
      expect(overview).toContain(`#${operationId}">${summary}</a>`);
      expect(texts.filter((text) => text.includes(`<section class="operation" id="${operationId}"`))).toHaveLength(1);
    }
  });

  test('sends each page in less than 50 kB', async () => {
    for (const url of ['/docs', '/docs/deliveries']) {
      const reply = await fetch(api.baseUrl + url, { headers: { 'accept-encoding': 'gzip' } });
      expect(reply.headers.get('content-encoding')).toBe('gzip');
      expect(Number(reply.headers.get('content-length'))).toBeLessThan(50_000);
      const plain = await fetch(api.baseUrl + url, { headers: { 'accept-encoding': 'identity' } });
      expect(plain.headers.get('content-encoding')).toBeNull();
      expect(await plain.text()).toBe(await reply.text());
    }
  });

  test('answers 404 for missing files and 405 for other methods', async () => {
    for (const path of ['/docs/nothing.js', '/docs/..%2f..%2fpackage.json', '/docs/%00', '/docs/package.json']) {
      expect((await get(path)).status).toBe(404);
    }
    for (const path of ['/docs', '/docs/events', '/openapi.json']) {
      expect((await fetch(api.baseUrl + path, { method: 'POST' })).status).toBe(405);
    }
  });
});

type Items = Readonly<Record<string, Readonly<Record<string, { operationId: string; summary: string }>>>>;
