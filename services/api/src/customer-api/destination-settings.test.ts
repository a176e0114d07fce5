import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { NO_LIMITS } from '@mailhook/core';
import { Installation } from '@mailhook/delivery';
import { readMailbox } from '@mailhook/delivery/mailbox';
import { goodReply, startReceiver } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import { MODULE, startApi } from '../api-rig.suite.ts';
import type { ApiRig, TestAccount } from '../api-rig.suite.ts';
import { expectProblem, pathsOf } from './customer-api-rig.suite.ts';

const KEY = randomBytes(32).toString('base64');
const LOGIN = 'Bearer s3cr3t-of-the-receiver';
const settings = (destination: string): string => `/v3/webhook/destinations/${destination}/settings`;

describe('settings of a destination', () => {
  let api: ApiRig;
  let receiver: FakeReceiver;
  let mine: TestAccount;
  let call: ReturnType<ApiRig['as']>;
  beforeAll(async () => {
    api = await startApi({ SECRETS_KEY: KEY });
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    receiver = await startReceiver({ reply: goodReply });
    mine = await api.newAccount();
    call = api.as(mine.token);
  });
  afterEach(() => receiver.close());

  it('stores headers, shows their names only, and takes back what it shows', async () => {
    await call('put', '/v3/webhook/campaign', { address: receiver.url });
    const first = (await call('get', settings('campaign'))).body as object;
    expect(first).toMatchObject({ headers: {}, ...NO_LIMITS });
    const changed = async (change: object) => {
      const put = await call('put', settings('campaign'), change);
      expect([put.status, put.body]).toEqual([200, { success: true }]);
      const shown = await call('get', settings('campaign'));
      expect(shown.text).not.toContain('s3cr3t');
      return shown.body as object;
    };
    const headers = { authorization: true, 'x-team': true };
    const second = await changed({ headers: { Authorization: LOGIN, 'x-team': 'mail' } });
    expect(second).toEqual({ ...first, headers });
    expect(await changed(second)).toEqual(second);
    const authorization = { headers: { authorization: true } };
    expect(await changed(authorization)).toMatchObject(authorization);
    expect(await changed({})).toMatchObject(authorization);
    const slow = { headers: {}, ...NO_LIMITS, maxRequestsPerSecond: 20 };
    expect(await changed(slow)).toEqual({ ...first, ...slow });
    expect(await recordOf(api, `campaign-${mine.id}`)).toBe('{"limits":{"maxRequestsPerSecond":20}}');
    const refused = await call('put', settings('campaign'), { maxRequestsPerSecond: 0 });
    expect(pathsOf(refused)).toEqual(['maxRequestsPerSecond']);
    expect(await changed({ maxRequestsPerSecond: null })).toEqual({ ...first, headers: {} });
  });

  it('refuses bad headers by name, and destinations that the account does not have', async () => {
    const id = await api.subscribe(mine, 'open', receiver.url);
    const refused = await call('put', settings(id), { headers: { host: 'x', 'x-a': 'b\nc', 'x-b': true } });
    expectProblem(refused, 422, 'validation_failed');
    expect(pathsOf(refused)).toEqual(['headers.host', 'headers.x-a']);
    const unknown = await call('put', settings(id), { headers: { 'x-b': true } });
    expect(pathsOf(unknown)).toEqual(['headers.x-b']);
    const foreign = api.as((await api.newAccount()).token);
    expectProblem(await foreign('get', settings(id)), 404, 'not_found');
    expectProblem(await foreign('put', settings(id), { headers: {} }), 404, 'not_found');
    expectProblem(await call('get', settings('none')), 404, 'not_found');
  });

  it('sends them with tests and checks of this destination, and its details hide the values', async () => {
    await call('put', '/v3/webhook/campaign', { address: `${receiver.url}/hook` });
    await call('put', settings('campaign'), { headers: { authorization: LOGIN } });
    const tested = await call('post', '/v3/webhook/campaign/test?details=true', {});
    expect(receiver.requests[0]?.headers['authorization']).toBe(LOGIN);
    expect(tested.text).toContain('"authorization":"(not shown)"');
    expect(tested.text).not.toContain('s3cr3t');
    await call('post', '/v3/webhook/doctor', { address: `${receiver.url}/hook`, kind: 'campaign' });
    expect(new Set(receiver.requests.map(({ headers }) => headers['authorization']))).toEqual(new Set([LOGIN]));
  });

  it('never sends them to another origin, and forgets them with a new address there', async () => {
    const other = await startReceiver({ reply: goodReply });
    const input = { address: receiver.url, type: 'open', module: MODULE };
    const { id } = (await call('post', '/v3/webhook/subscriptions', input)).body as { id: string };
    await call('put', settings(id), { headers: { authorization: LOGIN } });
    await call('post', '/v3/webhook/notificationTest', { ...input, address: other.url });
    await call('put', `/v3/webhook/subscriptions/${id}`, { module: MODULE, address: other.url });
    await call('post', '/v3/webhook/notificationTest', { ...input, address: other.url });
    expect((await call('get', settings(id))).body).toMatchObject({ headers: {} });
    expect(other.requests.map(({ headers }) => headers['authorization'])).toEqual([undefined, undefined]);
    expect(await recordOf(api, id)).not.toContain('headers:');
    await other.close();
  });

  it('encrypts them, and signing secrets, in the store and in the record that workers read', async () => {
    const id = await api.subscribe(mine, 'open', receiver.url);
    const { secret } = (await call('post', '/v3/webhook/secrets')).body as { secret: string };
    await call('put', settings(id), { headers: { authorization: LOGIN } });
    expect(await recordOf(api, id)).toMatch(/^\{"secrets":\["sealed:2:.*authorization":"sealed:2:/);
    const redis = new Redis(api.redisUrl);
    const store = `{${api.prefix}:store}`;
    const texts = [await redis.get(`${store}:account:${mine.id}`), await recordOf(api, id)].join('\n');
    expect(texts.match(/sealed:2:/g)).toHaveLength(4);
    for (const plain of [secret, secret.slice(6), LOGIN, 's3cr3t']) expect(texts).not.toContain(plain);
    redis.disconnect();
  });

  it('loses none of several changes at the same time', async () => {
    await call('put', '/v3/webhook/campaign', { address: receiver.url });
    const changes = [{ headers: { 'x-a': 'v' } }, { name: 'CRM' }, { maxRequestsPerSecond: 7 }, { types: ['open'] }];
    const answers = await Promise.all(changes.map((change) => call('put', settings('campaign'), change)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await call('get', settings('campaign'))).body).toMatchObject({
      ...Object.assign({}, ...changes),
      headers: { 'x-a': true },
    });
  });
});

describe('a new SECRETS_KEY', () => {
  it('encrypts what was stored without a key, and with the former one, within one pass over the accounts', async () => {
    const plain = await startApi();
    const account = await plain.newAccount();
    const call = plain.as(account.token);
    await call('put', '/v3/webhook/campaign', { address: 'https://example.com/hook' });
    await call('put', settings('campaign'), { headers: { authorization: LOGIN } });
    const { secret } = (await call('post', '/v3/webhook/secrets')).body as { secret: string };
    await plain.close();
    const redis = new Redis(plain.redisUrl);
    const stored = async () => {
      const record = await recordOf(plain, `campaign-${account.id}`);
      return { record, keys: new Set([...record.matchAll(/sealed:2:([\da-f]{8})/g)].map(([, key]) => key)) };
    };
    expect((await stored()).record).toContain(secret);
    let former: ReadonlySet<string | undefined> = new Set();
    for (const keys of [KEY, `${randomBytes(32).toString('base64')},${KEY}`]) {
      await redis.del(`${plain.prefix}:store-resync`);
      const next = await startApi({ QUEUE_PREFIX: plain.prefix, REDIS_URL: plain.redisUrl, SECRETS_KEY: keys });
      for (;;) {
        const { record, keys: found } = await stored();
        const isNew = found.size === 1 && !former.has([...found][0]);
        if (isNew && (record.match(/sealed:2:/g) ?? []).length === 2) break;
        await new Promise(setImmediate);
      }
      former = (await stored()).keys;
      await next.close();
    }
    redis.disconnect();
  });
});

/** What the workers read of a destination besides its address. */
async function recordOf({ redisUrl, prefix }: Pick<ApiRig, 'redisUrl' | 'prefix'>, id: string): Promise<string> {
  const redis = new Redis(redisUrl);
  const found = await Promise.all(
    new Installation(redis, prefix, 1).allKeys().map((keys) => readMailbox(redis, keys, id)),
  );
  redis.disconnect();
  return found.find(({ record }) => record !== undefined)?.record?.credentials ?? '';
}
