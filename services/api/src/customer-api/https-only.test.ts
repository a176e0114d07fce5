import request from 'supertest';
import { anOpen, eventually, startReceiver } from '@mailhook/testing';
import { ADMIN_TOKEN, MODULE, publishedEvents, startApi } from '../api-rig.suite.ts';
import type { ApiRig, TestAccount } from '../api-rig.suite.ts';

const OLD = 'http://127.0.0.1:9/old';
const REFUSED = {
  code: 'validation_failed',
  errors: [{ path: 'address', message: 'must begin with https://; let your server answer over TLS first' }],
};

describe('HTTPS_ONLY_DESTINATIONS', () => {
  let api: ApiRig;
  let mine: TestAccount;
  let old: string;

  /** An account with addresses from before the variable was set. */
  beforeAll(async () => {
    const before = await startApi();
    mine = await before.newAccount();
    old = await before.subscribe(mine, 'open', OLD);
    await before.as(mine.token)('put', '/v3/webhook/campaign', { address: OLD });
    const { prefix, redisUrl } = before;
    await before.close();
    api = await startApi({ QUEUE_PREFIX: prefix, REDIS_URL: redisUrl, HTTPS_ONLY_DESTINATIONS: 'true' });
  });
  afterAll(() => api.close());

  const call = (method: 'get' | 'post' | 'put', path: string, body?: unknown) =>
    api.as(mine.token)(method, `/v3/webhook${path}`, body);
  const subscription = (address: string) => ({ address, type: 'click', module: MODULE });

  test('refuses new and changed addresses without https', async () => {
    for (const address of ['http://example.com/', 'HTTP://example.com/']) {
      for (const reply of [
        await call('post', '/subscriptions', subscription(address)),
        await call('put', `/subscriptions/${old}`, { ...subscription(address), type: 'open' }),
        await call('put', '/campaign', { address }),
      ]) {
        expect(reply.status).toBe(422);
        expect(reply.body).toMatchObject(REFUSED);
      }
    }
    expect((await call('post', '/subscriptions', subscription('https://example.com/'))).status).toBe(201);
    expect((await call('get', '/campaign')).body).toMatchObject({ address: OLD, active: true });
  });

  test('keeps an address that was saved before: it gets events, and can be switched off and on', async () => {
    for (const active of [false, true]) {
      const edit = { ...subscription(OLD), type: 'open', active };
      expect((await call('put', `/subscriptions/${old}`, edit)).status).toBe(200);
      expect((await call('put', '/campaign', { address: OLD, active })).body).toEqual({ address: OLD, active });
    }
    expect((await api.post(anOpen({ account: mine.id }))).status).toBe(202);
    await eventually(async () => (await publishedEvents(api)).some(({ destination }) => destination === old), {
      what: 'the event for the old address',
    });
  });

  test('lets an address be tested before its server has TLS', async () => {
    const receiver = await startReceiver();
    const reply = await call('post', '/campaign/test', { address: receiver.url });
    expect(reply.body).toMatchObject({ success: true });
    await receiver.close();
  });

  test("an account's page for operators names the addresses without https", async () => {
    const page = async (account: string) =>
      (await request(api.opsUrl).get(`/admin/pages/accounts/${account}`).auth('admin', ADMIN_TOKEN)).text;
    expect(await page(mine.id)).toContain(
      '2 addresses are without https, although HTTPS_ONLY_DESTINATIONS is on. Addresses that were saved before ' +
        'still get their events: <code>http://127.0.0.1:9/***</code>',
    );
    const other = await api.newAccount();
    expect(await page(other.id)).not.toContain('without https');
  });
});
