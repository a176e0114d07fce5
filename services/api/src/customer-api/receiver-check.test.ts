import type { ReceiverReport } from '@mailhook/core';
import { eventually, goodReply, startReceiver, startRedis } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import { startApi } from '../api-rig.suite.ts';
import type { ApiRig, TestAccount } from '../api-rig.suite.ts';

const PATH = '/v3/webhook/doctor';

describe('the receiver doctor in the API', () => {
  let api: ApiRig;
  let receiver: FakeReceiver;
  let mine: TestAccount;

  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    mine = await api.newAccount();
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());

  const check = (account: TestAccount, body: unknown) => api.as(account.token)('post', PATH, body);
  const about = (kind = 'campaign') => ({ address: `${receiver.url}/hook`, kind });
  const outcomeOf = ({ checks }: ReceiverReport, wanted: string) => checks.find(({ id }) => id === wanted)?.outcome;

  test.each(['campaign', 'transactional'])('reports on a correct %s receiver', async (kind) => {
    const reply = await check(mine, about(kind));
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ ...about(kind), failed: 0, passed: expect.any(Number) as number });
    expect(receiver.requests.every(({ path }) => path === '/hook')).toBe(true);
    expect(receiver.requests[0]?.headers).not.toHaveProperty('webhook-signature');
  });

  const versions = () => receiver.requests.map(({ json }) => (json as { version?: number }[])[0]?.version ?? 0);

  test.each([
    ['campaign', 'batch', true],
    ['transactional_email', 'array', true],
    ['campaign', 'single', false],
  ])('reports on a destination of %s in the shape %s', async (module, shape, isArray) => {
    const call = api.as(mine.token);
    const input = { address: about().address, module, types: ['*'], shape, headers: { 'x-team': 'mail' } };
    const { id } = (await call('post', '/v3/webhook/destinations', input)).body as { id: string };
    const reply = await check(mine, { destination: id });
    expect(reply.body).toMatchObject({ address: input.address, shape, version: 2, failed: 0 });
    expect(new Set(versions())).toEqual(new Set([isArray ? 2 : 0]));
    expect(receiver.requests.map(({ json }) => Array.isArray(json))).not.toContain(!isArray);
    expect(new Set(receiver.requests.map(({ headers }) => headers['x-team']))).toEqual(new Set(['mail']));
    const foreign = await check(await api.newAccount(), { destination: id });
    expect(foreign.status).toBe(404);
  });

  test('takes an address with the shape that it is meant for', async () => {
    expect((await check(mine, { ...about('transactional'), shape: 'array' })).body).toMatchObject({
      version: 2,
      failed: 0,
    });
    expect(new Set(versions())).toEqual(new Set([2]));
  });

  test("signs with the account's secrets", async () => {
    await api.as(mine.token)('post', '/v3/webhook/secrets');
    const report = (await check(mine, about())).body as ReceiverReport;
    expect(receiver.requests[0]?.headers['webhook-signature']).toMatch(/^v1,/);
    expect([outcomeOf(report, 'access'), outcomeOf(report, 'wrong-signature')]).toEqual(['passed', 'warning']);
  });

  test.each([
    [{ address: 'http://example.com/' }, 'kind'],
    [{ kind: 'campaign' }, 'address'],
    [{ address: 'example.com', kind: 'campaign' }, 'address'],
    [{ address: 'http://169.254.169.254/latest', kind: 'campaign' }, 'address'],
    [{ address: 'http://127.0.0.1:25/', kind: 'transactional' }, 'address'],
    [{ destination: 'campaign', kind: 'campaign' }, 'kind'],
    [{ address: 'http://example.com/', kind: 'campaign', shape: 'array', version: 1 }, 'shape'],
  ])('refuses %j and names %s', async (body, path) => {
    const reply = await check(mine, body);
    expect(reply.status).toBe(422);
    expect(reply.body).toMatchObject({ code: 'validation_failed', errors: [{ path }] });
  });

  test('runs one check per account at a time', async () => {
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    receiver.setReply(async (request) => {
      await held;
      return goodReply(request);
    });
    const first = check(mine, about()).then((reply) => reply.status);
    await receiver.waitForRequests(1);
    const second = await check(mine, about());
    expect([second.status, second.headers['retry-after']]).toEqual([429, '10']);
    expect(second.body).toMatchObject({ code: 'rate_limited' });

    // Another account does not wait.
    const other = check(await api.newAccount(), about()).then((reply) => reply.status);
    await receiver.waitForRequests(2);
    letGo();
    expect(await Promise.all([first, other])).toEqual([200, 200]);
    expect((await check(mine, about())).status).toBe(200);
  });

  test('runs six checks per minute and account', async () => {
    const replies = [];
    for (let number = 0; number < 7; number += 1) replies.push(await check(mine, about('transactional')));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 429]);
    expect(Number(replies[6]?.headers['retry-after'])).toBeGreaterThan(0);
    expect((await check(await api.newAccount(), about('transactional'))).status).toBe(200);
  });
});

test('while Redis is down, the doctor sends nothing and answers 503', async () => {
  const redis = await startRedis();
  const api = await startApi({ REDIS_URL: redis.url });
  const receiver = await startReceiver();
  try {
    const { token } = await api.newAccount();
    const call = api.as(token);
    await call('get', '/v3/webhook/subscriptions');
    await redis.kill();
    const reply = await call('post', PATH, { address: receiver.url, kind: 'campaign' });
    expect([reply.status, reply.body]).toEqual([503, expect.objectContaining({ code: 'unavailable' })]);
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
    expect(receiver.requests).toEqual([]);
    await redis.restart();
    await eventually(
      async () => (await call('post', PATH, { address: receiver.url, kind: 'campaign' })).status === 200,
      { withinMs: 15_000, what: 'a check' },
    );
  } finally {
    await Promise.all([api.close(), receiver.close()]);
    await redis.stop();
  }
});
