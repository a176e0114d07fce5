import { eventually, startReceiver } from '@mailhook/testing';
import { ADMIN_TOKEN, MODULE, PRODUCER_TOKEN, startApi } from '../api-rig.suite.ts';
import type { ApiRig, TestAccount } from '../api-rig.suite.ts';

const SUBSCRIPTIONS = '/v3/webhook/subscriptions';
const fine = { address: 'https://example.com/hook?a=1&b=%20x', type: 'open', module: MODULE };

interface ProblemReply {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/** A whole RFC 9457 answer with this status and code. */
function expectProblem(reply: ProblemReply, status: number, code?: string): void {
  expect([reply.status, reply.headers['content-type']]).toEqual([status, 'application/problem+json']);
  expect(reply.body).toMatchObject({ status, type: expect.any(String) as string, title: expect.any(String) as string });
  if (code !== undefined) expect(reply.body).toMatchObject({ code });
}

/** Attempts are listed a moment after they ended. */
const listed = (call: ReturnType<ApiRig['as']>, query: string) =>
  eventually(
    async () => {
      const { items } = (await call('get', `/v3/webhook/deliveries${query}`)).body as { items: unknown[] };
      return items.length > 0 && items;
    },
    { what: 'a listed delivery' },
  );

const pathsOf = (reply: ProblemReply): string[] =>
  ((reply.body as { errors?: { path: string }[] }).errors ?? []).map(({ path }) => path);

describe('public API', () => {
  let api: ApiRig;
  let mine: TestAccount;
  let call: ReturnType<ApiRig['as']>;

  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    mine = await api.newAccount();
    call = api.as(mine.token);
  });

  describe('subscriptions', () => {
    it('creates, reads, lists, edits and deletes exactly as the spec says', async () => {
      const created = await call('post', SUBSCRIPTIONS, fine);
      expect(created.status).toBe(201);
      expect(created.body).toEqual({ id: expect.stringMatching(/^[A-Za-z0-9_-]{16}$/) as string });
      const { id } = created.body as { id: string };
      expect((await call('get', `${SUBSCRIPTIONS}/${id}`)).body).toEqual({ id, active: true, ...fine });
      expect((await call('get', SUBSCRIPTIONS)).body).toEqual([{ id, active: true, ...fine }]);

      const edited = await call('put', `${SUBSCRIPTIONS}/${id}`, { module: MODULE, active: 0, type: 'click' });
      expect([edited.status, edited.body]).toEqual([200, { success: true }]);
      expect((await call('get', `${SUBSCRIPTIONS}/${id}`)).body).toEqual({ id, ...fine, active: false, type: 'click' });

      const deleted = await call('delete', `${SUBSCRIPTIONS}/${id}`);
      expect([deleted.status, deleted.body]).toEqual([200, { success: true }]);
      expectProblem(await call('delete', `${SUBSCRIPTIONS}/${id}`), 404, 'not_found');
      expect((await call('get', SUBSCRIPTIONS)).body).toEqual([]);
    });

    it.each(['address', 'type', 'module'])('requires %s on create and test, and names it', async (field) => {
      const rest = Object.fromEntries(Object.entries(fine).filter(([name]) => name !== field));
      for (const path of [SUBSCRIPTIONS, '/v3/webhook/notificationTest/']) {
        const reply = await call('post', path, rest);
        expectProblem(reply, 422, 'validation_failed');
        expect(pathsOf(reply)).toEqual([field]);
        expect(JSON.stringify(reply.body)).toContain('is required');
      }
    });

    it.each([5, null, [], 'text', [fine]])('refuses the body %j', async (body) => {
      expectProblem(await call('post', SUBSCRIPTIONS, body), 422, 'validation_failed');
    });

    it.each([
      ['malformed JSON', 'application/json', '{"address":', 400, 'malformed_json'],
      ['a NUL', 'application/json', '\u0000', 400, 'malformed_json'],
      ['text', 'text/plain', '{}', 415, 'unsupported_media_type'],
      ['a form', 'application/x-www-form-urlencoded', 'a=b', 415, 'unsupported_media_type'],
      ['another charset', 'application/json; charset=koi8-r', '{}', 415, 'unsupported_media_type'],
      ['a body over 1 MiB', 'application/json', `{"address":"${'x'.repeat(1 << 20)}"}`, 413, 'payload_too_large'],
    ] as const)('refuses %s', async (_what, type, raw, status, code) => {
      expectProblem(await call('post', SUBSCRIPTIONS).set('content-type', type).send(raw), status, code);
    });

    it('hides the subscriptions of another account', async () => {
      const id = await api.subscribe(mine);
      const other = api.as((await api.newAccount()).token);
      for (const method of ['get', 'delete'] as const)
        expectProblem(await other(method, `${SUBSCRIPTIONS}/${id}`), 404, 'not_found');
      expectProblem(await other('put', `${SUBSCRIPTIONS}/${id}`, { module: MODULE, active: 0 }), 404, 'not_found');
      expect((await call('get', `${SUBSCRIPTIONS}/${id}`)).body).toMatchObject({ active: true });
    });

    it.each(['AAAAAAAAAAAAAAAA', '__proto__', '..%2f..', '%00', '%zz', 'a'.repeat(500)])(
      'has no subscription %s',
      async (id) => {
        expectProblem(await call('get', `${SUBSCRIPTIONS}/${id}`), 404, 'not_found');
      },
    );

    it.each([
      ['patch', SUBSCRIPTIONS, 'POST'],
      ['delete', SUBSCRIPTIONS, 'GET'],
      ['post', `${SUBSCRIPTIONS}/x`, 'PUT'],
      ['get', '/v3/webhook/notificationTest/', 'POST'],
      ['get', '/v3/events', 'POST'],
      ['delete', '/v3/webhook/campaign', 'PUT'],
    ] as const)('answers 405 to %s %s and names what is allowed', async (method, path, allowed) => {
      const reply = await call(method, path);
      expectProblem(reply, 405, 'method_not_allowed');
      expect(reply.headers['allow']?.split(', ')).toContain(allowed);
    });

    it.each(['/v3/nope', '/v3/webhook', `${SUBSCRIPTIONS}/x/more`, '/V3/webhook/subscriptions', '/'])(
      'has nothing at %s',
      async (path) => {
        expectProblem(await call('get', path), 404, 'not_found');
      },
    );
  });

  describe('tokens', () => {
    const routes = [
      ['post', SUBSCRIPTIONS],
      ['get', SUBSCRIPTIONS],
      ['get', `${SUBSCRIPTIONS}/x`],
      ['put', `${SUBSCRIPTIONS}/x`],
      ['delete', `${SUBSCRIPTIONS}/x`],
      ['post', '/v3/webhook/notificationTest'],
      ['get', '/v3/webhook/campaign'],
      ['put', '/v3/webhook/campaign'],
      ['post', '/v3/webhook/campaign/test'],
      ['get', '/v3/webhook/deliveries'],
      ['get', '/v3/webhook/dead-letters'],
      ['post', '/v3/webhook/dead-letters/redrive'],
      ['get', '/v3/webhook/secrets'],
      ['post', '/v3/webhook/secrets'],
      ['delete', '/v3/webhook/secrets/x'],
    ] as const;

    it.each(routes)('%s %s wants a customer token', async (method, path) => {
      expectProblem(await api.as(undefined)(method, path), 401, 'unauthorized');
      expectProblem(await api.as(PRODUCER_TOKEN)(method, path), 403, 'forbidden');
      expectProblem(await api.as(ADMIN_TOKEN)(method, path), 403, 'forbidden');
    });

    it('says which scheme is wanted, and takes it in any case', async () => {
      const reply = await api.as('nonsense')('get', SUBSCRIPTIONS);
      expectProblem(reply, 401, 'unauthorized');
      expect(reply.headers['www-authenticate']).toMatch(/^Bearer/);
      const lower = await api.as(undefined)('get', SUBSCRIPTIONS).set('authorization', `bearer ${mine.token}`);
      expect(lower.status).toBe(200);
      const basic = await api.as(undefined)('get', SUBSCRIPTIONS).auth('x', mine.token);
      expectProblem(basic, 401, 'unauthorized');
    });

    it('wants the producer token on the intake', async () => {
      expectProblem(await api.as(undefined)('post', '/v3/events', []), 401, 'unauthorized');
      expectProblem(await api.as(mine.token)('post', '/v3/events', []), 403, 'forbidden');
      expectProblem(await api.as(ADMIN_TOKEN)('post', '/v3/events', []), 403, 'forbidden');
    });

    it('limits failed sign-ins of an address, and never a valid token', async () => {
      const fresh = await startApi();
      try {
        const account = await fresh.newAccount();
        const statuses: number[] = [];
        for (let i = 0; i < 62; i += 1) statuses.push((await fresh.as('wrong')('get', SUBSCRIPTIONS)).status);
        expect(statuses.slice(0, 60)).toEqual(Array.from({ length: 60 }, () => 401));
        const refused = await fresh.as('wrong')('get', SUBSCRIPTIONS);
        expectProblem(refused, 429, 'rate_limited');
        expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
        expect((await fresh.as(account.token)('get', SUBSCRIPTIONS)).status).toBe(200);
        expect((await fresh.post([])).status).toBe(422);
      } finally {
        await fresh.close();
      }
    });
  });

  describe('campaign webhook', () => {
    it('is unset at first, then what was put', async () => {
      expect((await call('get', '/v3/webhook/campaign')).body).toEqual({ address: null, active: false });
      const address = 'https://example.com/campaign';
      const put = await call('put', '/v3/webhook/campaign', { address });
      expect([put.status, put.body]).toEqual([200, { address, active: true }]);
      const off = await call('put', '/v3/webhook/campaign', { address, active: '0' });
      expect(off.body).toEqual({ address, active: false });
      const cleared = await call('put', '/v3/webhook/campaign', { address: null });
      expect(cleared.body).toEqual({ address: null, active: false });
      expect((await call('get', '/v3/webhook/campaign')).body).toEqual({ address: null, active: false });
    });

    it('needs an address, and a possible one', async () => {
      expect(pathsOf(await call('put', '/v3/webhook/campaign', {}))).toEqual(['address']);
      expect(pathsOf(await call('put', '/v3/webhook/campaign', { address: 'ftp://x/' }))).toEqual(['address']);
      expect(
        pathsOf(await call('put', '/v3/webhook/campaign', { address: 'https://x.example/', active: 'perhaps' })),
      ).toEqual(['active']);
      expect(pathsOf(await call('post', '/v3/webhook/campaign/test', {}))).toEqual(['address']);
    });
  });

  describe('signing secrets', () => {
    it('shows each once, keeps two, and forgets a deleted one', async () => {
      const first = await call('post', '/v3/webhook/secrets');
      expect(first.status).toBe(201);
      expect(first.body).toEqual({
        id: expect.any(String) as string,
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) as string,
      });
      await call('post', '/v3/webhook/secrets');
      expectProblem(await call('post', '/v3/webhook/secrets'), 409, 'conflict');
      const { id } = first.body as { id: string };
      const list = await call('get', '/v3/webhook/secrets');
      expect(list.body).toEqual([
        { id, createdAt: expect.stringMatching(/^\d{4}-.*Z$/) as string },
        { id: expect.any(String) as string, createdAt: expect.any(String) as string },
      ]);
      expect((await call('delete', `/v3/webhook/secrets/${id}`)).body).toEqual({ success: true });
      expectProblem(await call('delete', `/v3/webhook/secrets/${id}`), 404, 'not_found');
    });
  });

  describe('lists', () => {
    it('are empty at first, and check their queries', async () => {
      expect((await call('get', '/v3/webhook/deliveries')).body).toEqual({ items: [] });
      expect((await call('get', '/v3/webhook/dead-letters')).body).toEqual({ items: [] });
      expect(pathsOf(await call('get', '/v3/webhook/deliveries?limit=0'))).toEqual(['limit']);
      expect(pathsOf(await call('get', '/v3/webhook/deliveries?status=lost'))).toEqual(['status']);
      expect(pathsOf(await call('get', '/v3/webhook/dead-letters?limit=many'))).toEqual(['limit']);
      const nothing = await call('post', '/v3/webhook/dead-letters/redrive');
      expect([nothing.status, nothing.body]).toEqual([202, { redriven: 0 }]);
    });
  });

  describe('tests of receivers', () => {
    it('send one sample of the wanted type, signed, and list it', async () => {
      const receiver = await startReceiver();
      try {
        await call('post', '/v3/webhook/secrets');
        const address = `${receiver.url}/sample`;
        const reply = await call('post', '/v3/webhook/notificationTest', { address, type: 'bounce', module: MODULE });
        expect([reply.status, reply.body]).toEqual([200, { success: true }]);
        const [sample, ...more] = receiver.requests;
        expect(more).toEqual([]);
        expect(Object.keys(sample!.json as object).sort()).toEqual([
          'messageId',
          'module',
          'name',
          'reason',
          'time',
          'type',
          'version',
        ]);
        expect(sample!.headers['webhook-signature']).toMatch(/^v1,/);
        expect(await listed(call, '')).toMatchObject([
          { kind: 'test', address, events: 1, attempt: 1, status: 'delivered', httpStatus: 200 },
        ]);
      } finally {
        await receiver.close();
      }
    });

    it.each([
      ['a status', { status: 404 }, 'Request error (curl) 404 - HTTP/1.1 404 Not Found'],
      ['another body', { json: { status: 'OKAY', secret: 'inside' } }, 'The server responded in an invalid format'],
      [
        'a broken connection',
        { reset: 'reply' as const },
        expect.stringMatching(/^The receiver could not be reached/) as string,
      ],
    ])('tell %s in a sentence, never the body', async (_what, action, message) => {
      const receiver = await startReceiver({ reply: () => action });
      try {
        const reply = await call('post', '/v3/webhook/campaign/test', { address: `${receiver.url}/test` });
        expect([reply.status, reply.body]).toEqual([200, { success: false, message }]);
        const items = await listed(call, '?status=failed');
        expect(items).toMatchObject([{ kind: 'test', status: 'failed', error: expect.any(String) as string }]);
        expect(JSON.stringify(items)).not.toContain('inside');
      } finally {
        await receiver.close();
      }
    });

    it('test the saved address when none is given, inactive or not', async () => {
      const receiver = await startReceiver();
      try {
        await call('put', '/v3/webhook/campaign', { address: `${receiver.url}/saved`, active: false });
        expect((await call('post', '/v3/webhook/campaign/test')).body).toEqual({ success: true });
        expect(receiver.requests.map(({ path, json }) => [path, Object.keys(json as object)])).toEqual([
          ['/saved', ['test']],
        ]);
      } finally {
        await receiver.close();
      }
    });
  });
});

describe('public API with private destinations closed', () => {
  it('refuses literal addresses that lead inside, wherever one is given', async () => {
    const api = await startApi({ ALLOW_PRIVATE_DESTINATIONS: 'false' });
    try {
      const call = api.as((await api.newAccount()).token);
      const address = 'http://[::ffff:127.0.0.1]/';
      const replies = [
        await call('post', SUBSCRIPTIONS, { ...fine, address }),
        await call('post', '/v3/webhook/notificationTest', { ...fine, address }),
        await call('put', '/v3/webhook/campaign', { address }),
        await call('post', '/v3/webhook/campaign/test', { address }),
      ];
      for (const reply of replies) {
        expectProblem(reply, 422, 'validation_failed');
        expect(pathsOf(reply)).toEqual(['address']);
      }
    } finally {
      await api.close();
    }
  });
});
