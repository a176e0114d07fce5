import { typesOf } from '@mailhook/core';
import fc from 'fast-check';
import { ADMIN_TOKEN, PRODUCER_TOKEN, startApi } from './api-rig.suite.ts';
import type { ApiRig, TestAccount } from './api-rig.suite.ts';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'];
const TYPES = [
  'application/json',
  'application/x-ndjson',
  'text/plain',
  'application/json; charset=utf-16',
  'multipart/form-data',
  '',
];

/** Bodies similar to real ones, with correct keys and arbitrary values. */
const nearlyRight = fc.record(
  {
    account: fc.oneof(fc.constant('acc'), fc.anything()),
    module: fc.oneof(fc.constantFrom('transactional_email', 'campaign'), fc.anything()),
    name: fc.oneof(fc.constantFrom(...typesOf('transactional_email')), fc.anything()),
    event: fc.oneof(fc.constantFrom(...typesOf('campaign')), fc.anything()),
    address: fc.oneof(fc.webUrl(), fc.string({ unit: 'binary' }), fc.anything()),
    type: fc.oneof(fc.constantFrom('open', 'hard'), fc.anything()),
    active: fc.anything(),
    ids: fc.anything(),
    messageId: fc.string({ unit: 'binary' }),
    time: fc.oneof(fc.nat(), fc.anything()),
  },
  { requiredKeys: [] },
);

const body = fc.oneof(
  fc.json().map((text) => text),
  nearlyRight.map((value) => safeStringify(value)),
  fc.array(nearlyRight, { maxLength: 5 }).map((value) => safeStringify(value)),
  fc.string({ unit: 'binary' }),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
);

function safeStringify(value: unknown): string {
  try {
    return JSON.stringify([value]).slice(1, -1);
  } catch {
    return '{"broken":';
  }
}

const part = fc.oneof(
  fc.constantFrom(
    'v3',
    'webhook',
    'subscriptions',
    'campaign',
    'test',
    'events',
    'secrets',
    'deliveries',
    'dead-letters',
    'redrive',
    'notificationTest',
    'doctor',
    'admin',
    'accounts',
    'tokens',
  ),
  fc.string({ maxLength: 8 }).map(encodeURIComponent),
  fc.constantFrom('%', '%00', '%zz', '..', '__proto__', '%F0%9F%98%80'),
);
const known = fc.constantFrom(
  '/v3/events',
  '/v3/webhook/subscriptions',
  '/v3/webhook/subscriptions/AAAAAAAAAAAAAAAA',
  '/v3/webhook/campaign',
  '/v3/webhook/secrets/x',
  '/v3/webhook/dead-letters/redrive',
  '/v3/webhook/destinations',
  '/v3/webhook/deliveries',
  '/v3/webhook/deliveries/x',
  '/v3/webhook/dead-letters',
  '/v3/webhook/doctor',
  '/admin/accounts',
  '/admin/accounts/x/tokens',
  '/admin/dead-letters',
  '/admin/dead-letters/redrive',
  '/admin/dead-letters/discard',
);
const query = fc.oneof(
  fc.constant(''),
  fc
    .record(
      { limit: fc.string(), cursor: fc.string(), destination: fc.string(), status: fc.string() },
      { requiredKeys: [] },
    )
    .map((fields) => `?${new URLSearchParams(fields).toString()}`),
  fc.string({ maxLength: 20 }).map((text) => `?cursor=${encodeURIComponent(text)}`),
);
const path = fc
  .tuple(
    fc.oneof(
      known,
      fc.array(part, { maxLength: 5 }).map((parts) => `/${parts.join('/')}`),
    ),
    query,
  )
  .map((both) => both.join(''));

describe('arbitrary requests', () => {
  let api: ApiRig;
  let account: TestAccount;
  beforeAll(async () => {
    api = await startApi();
    account = await api.newAccount();
  });
  afterAll(() => api.close());

  it('never get a 5xx', async () => {
    const tokens = () => fc.constantFrom(account.token, PRODUCER_TOKEN, ADMIN_TOKEN);
    const request = fc.record({
      path,
      method: fc.constantFrom(...METHODS),
      token: tokens(),
      type: fc.constantFrom(...TYPES),
      body,
      isOps: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(request, async (one) => {
        const hasBody = one.method !== 'GET' && one.method !== 'HEAD';
        const reply = await fetch(`${one.isOps ? api.opsUrl : api.baseUrl}${one.path}`, {
          method: one.method,
          headers: { authorization: `Bearer ${one.token}`, ...(one.type === '' ? {} : { 'content-type': one.type }) },
          ...(hasBody ? { body: one.body } : {}),
        });
        const text = await reply.text();
        expect({ status: reply.status, text }).toMatchObject({ status: expect.any(Number) as number });
        if (reply.status >= 500) throw new Error(`${reply.status}: ${text}`);
        if (reply.status >= 400 && one.method !== 'HEAD')
          expect(reply.headers.get('content-type')).toBe('application/problem+json');
      }),
      { numRuns: 600, endOnFailure: true },
    );
  });
});
