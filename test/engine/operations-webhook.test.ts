import { createHmac } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { Redis } from 'ioredis';
import type { OperationsMessage } from '@mailhook/core';
import { operationsMessage } from '@mailhook/core';
import { createLogger } from '@mailhook/platform/logger';
import type { Closeable } from '@mailhook/platform/lifecycle';
import { aCampaignEvent, aClick, anOpen, eventually, startReceiver, testRedisUrl, uniqueName } from '@mailhook/testing';
import type { FakeReceiver, ReceivedRequest } from '@mailhook/testing';
import { startApi } from '../../services/api/src/api-rig.suite.ts';
import type { ApiRig, TestAccount } from '../../services/api/src/api-rig.suite.ts';
import { compose as composeBatcher } from '../../services/campaign-batcher/src/compose.ts';
import { loadConfig as loadBatcherConfig } from '../../services/campaign-batcher/src/config.ts';
import { compose as composeNotifier } from '../../services/transactional-notifier/src/compose.ts';
import { loadConfig as loadNotifierConfig } from '../../services/transactional-notifier/src/config.ts';

const KEY = Buffer.from('the signing key of the operations webhook');
const WAITING_MAX_EVENTS = 40;
const DEBOUNCE_MS = 400;

/**
 * Two replicas of the api and the workers, as their services run them, with receivers of a customer and of the
 * platform.
 */
describe('the operations webhook', () => {
  let environment: Record<string, string>;
  let apis: ApiRig[];
  let api: ApiRig;
  let workers: Closeable[] = [];
  let customer: FakeReceiver;
  let platform: FakeReceiver;
  let redis: Redis;

  beforeAll(async () => {
    [customer, platform] = await Promise.all([startReceiver(), startReceiver()]);
    const redisUrl = await testRedisUrl();
    redis = new Redis(redisUrl);
    environment = {
      HOST: '127.0.0.1',
      OPS_PORT: '0',
      ALLOW_PRIVATE_DESTINATIONS: 'true',
      REDIS_URL: redisUrl,
      QUEUE_PREFIX: uniqueName('operations'),
      QUEUE_SHARDS: '2',
      BREAKER_FAILURES: '2',
      BREAKER_PARK_MAX: '300ms',
      CAMPAIGN_RETRY_SCHEDULE: '50ms',
      TRANSACTIONAL_RETRY_SCHEDULE: Array.from({ length: 300 }, () => '100ms').join(','),
      WAITING_MAX_EVENTS: String(WAITING_MAX_EVENTS),
      OPERATIONS_WEBHOOK_URL: `${platform.url}/operations`,
      OPERATIONS_WEBHOOK_SECRET: `whsec_${KEY.toString('base64')}`,
      OPERATIONS_WEBHOOK_DEBOUNCE: `${DEBOUNCE_MS}ms`,
    };
    const stream = new PassThrough().resume();
    const logger = createLogger({ level: 'warn', service: 'worker', pretty: false, stream });
    workers = await Promise.all([
      composeNotifier(loadNotifierConfig(environment), logger),
      composeBatcher(loadBatcherConfig(environment), logger),
    ]);
    apis = [await startApi(environment), await startApi(environment)];
    api = apis[0] as ApiRig;
    // The first check notes from when on it announces dead letters.
    await eventually(() => redis.hget(key('dead-letters'), '1'), { what: 'the first check' });
  });
  beforeEach(() => {
    customer.setReply(() => ({ status: 200, json: [] }));
    platform.setReply(() => ({ status: 204 }));
  });
  afterAll(async () => {
    await Promise.all([...workers, ...apis].map((part) => part.close()));
    await Promise.all([customer.close(), platform.close()]);
    redis.disconnect();
  });

  const key = (name: string): string => `${environment['QUEUE_PREFIX'] ?? ''}:operations-webhook:${name}`;
  const messageIn = ({ json }: ReceivedRequest): OperationsMessage => operationsMessage.parse(json);
  /** The accepted messages about an account. */
  const messages = (account: string, requests: readonly ReceivedRequest[] = platform.requests) =>
    requests.map(messageIn).filter((message) => message.account === account);
  const types = (account: string): string =>
    messages(account)
      .map(({ type }) => type)
      .join(' ');
  const arrival = (account: string, wanted: string) =>
    eventually(() => types(account) === wanted, { withinMs: 10_000, what: `${wanted} about ${account}` });
  /** Resolves when both replicas could have looked often enough to repeat a message. */
  const moreLooks = async (): Promise<void> => {
    const periodStart = async () =>
      (JSON.parse((await redis.hget(key('dead-letters'), '0')) ?? '') as { from: number }).from;
    const from = await periodStart();
    await eventually(async () => (await periodStart()) > from + 2 * DEBOUNCE_MS, { what: 'two more periods' });
  };
  const newAccountWith = async (type: string): Promise<{ account: TestAccount; id: string }> => {
    const account = await api.newAccount();
    return { account, id: await api.subscribe(account, type, `${customer.url}/${account.id}`) };
  };

  test('reports a parked destination and its recovery once, signed, and nothing of a short failure', async () => {
    const { account, id } = await newAccountWith('open');
    const address = `${customer.url}/${account.id}`;
    customer.setReply(() => ({ status: 500 }));
    await api.post([anOpen({ account: account.id }), anOpen({ account: account.id })]);
    await arrival(account.id, 'destination.failing');
    await moreLooks();
    customer.setReply(() => ({ status: 200 }));
    await arrival(account.id, 'destination.failing destination.recovered');
    await moreLooks();
    expect(messages(account.id)).toMatchObject([
      { type: 'destination.failing', account: account.id, destination: id, kind: 'transactional', address, waiting: 2 },
      {
        type: 'destination.recovered',
        account: account.id,
        destination: id,
        waiting: 0,
        portalPath: '/settings/webhooks',
      },
    ]);
    const [failing, recovered] = messages(account.id) as { failingSince?: string; reason: string }[];
    expect(failing?.reason).toMatch(/^\d+ attempts in a row failed, the last known error is: .*500/);
    expect(recovered?.failingSince).toBe(failing?.failingSince);
    for (const { headers, text, json } of platform.requests) {
      const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${text}`;
      expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', KEY).update(signed).digest('base64')}`);
      expect(headers['webhook-id']).toBe((json as { id: string }).id);
    }
  }, 60_000);

  test('reports a 410, and the dead letters that follow', async () => {
    const { account, id } = await newAccountWith('click');
    customer.setReply(() => ({ status: 410 }));
    await api.post(aClick({ account: account.id }));
    await eventually(() => messages(account.id).length === 2, { withinMs: 10_000, what: 'two messages' });
    await moreLooks();
    expect(messages(account.id).toSorted((a, b) => a.type.localeCompare(b.type))).toMatchObject([
      {
        type: 'dead_letters.added',
        destination: id,
        deadLetters: 1,
        events: 1,
        reason: expect.stringContaining('410') as string,
      },
      {
        type: 'destination.deactivated',
        destination: id,
        kind: 'transactional',
        reason: expect.stringContaining('410') as string,
      },
    ]);
  }, 60_000);

  test('sums dead letters by account', async () => {
    const [one, two] = [await api.newAccount(), await api.newAccount()];
    customer.setReply(() => ({ status: 500 }));
    for (const { token } of [one, two]) await api.as(token)('put', '/v3/webhook/campaign', { address: customer.url });
    for (const { id } of [one, two, one])
      await api.post([aCampaignEvent({ account: id }), aCampaignEvent({ account: id })]);
    const sum = (account: string) =>
      messages(account).reduce((all, one) => all + (one.type === 'dead_letters.added' ? one.events : 0), 0);
    await eventually(() => sum(one.id) === 4 && sum(two.id) === 2, { withinMs: 15_000, what: 'all dead letters' });
    await moreLooks();
    expect([sum(one.id), sum(two.id)]).toEqual([4, 2]);
    expect(messages(one.id)).toContainEqual(
      expect.objectContaining({ type: 'dead_letters.added', destination: 'campaign' }),
    );
  }, 60_000);

  test('reports an account at its limit once', async () => {
    const { account, id } = await newAccountWith('open');
    await api.as(account.token)('post', `/v3/webhook/destinations/${id}/pause`, { minutes: 60 });
    for (let i = 0; i <= WAITING_MAX_EVENTS; i += 1) await api.post(anOpen({ account: account.id }));
    await arrival(account.id, 'account.limit_reached');
    await moreLooks();
    expect(messages(account.id)).toMatchObject([
      {
        type: 'account.limit_reached',
        eventsMax: WAITING_MAX_EVENTS,
        reason: expect.stringContaining('WAITING_MAX_EVENTS') as string,
      },
    ]);
  }, 60_000);

  test('delivers everything after the platform was down, and reports nothing about itself', async () => {
    const { account } = await newAccountWith('open');
    const before = platform.requests.length;
    let isDown = true;
    const accepted: ReceivedRequest[] = [];
    platform.setReply((request) => {
      if (!isDown) accepted.push(request);
      return { status: isDown ? 503 : 204 };
    });
    customer.setReply(() => ({ status: 500 }));
    await api.post(anOpen({ account: account.id }));
    await eventually(() => platform.requests.length > before + 3, { withinMs: 15_000, what: 'refused messages' });
    customer.setReply(() => ({ status: 200 }));
    const overview = async () => (await api.admin('get', '/admin/overview')).body as { attention: { id: string }[] };
    await eventually(async () => (await overview()).attention.some(({ id }) => id === 'operations'), {
      what: 'the parked operations webhook on the overview',
    });
    await eventually(
      async () =>
        (await redis.hvals(key('failing:0:transactional'))).concat(await redis.hvals(key('failing:1:transactional')))
          .length === 0,
      { withinMs: 15_000, what: 'the recovery to be published' },
    );
    isDown = false;
    const wanted = 'destination.failing,destination.recovered';
    const got = () => [...new Set(messages(account.id, accepted).map(({ type }) => type))].sort().join();
    await eventually(() => got() === wanted, { withinMs: 15_000, what: wanted });
    expect(messages('*operations')).toEqual([]);
    const accounts = (await api.admin('get', '/admin/accounts')).body as { items: { id: string }[] };
    expect(accounts.items.map(({ id }) => id)).not.toContain('*operations');
  }, 60_000);
});

describe('the settings of the operations webhook', () => {
  let environment: Record<string, string>;
  let notifier: Closeable;
  let platform: FakeReceiver;
  let redis: Redis;
  const apis: ApiRig[] = [];
  const start = async (more: Record<string, string> = {}): Promise<ApiRig> => {
    const api = await startApi({ ...environment, ...more });
    apis.push(api);
    return api;
  };

  beforeAll(async () => {
    platform = await startReceiver();
    const [redisUrl, queuePrefix] = [await testRedisUrl(), uniqueName('operations')];
    redis = new Redis(redisUrl);
    environment = {
      HOST: '127.0.0.1',
      OPS_PORT: '0',
      ALLOW_PRIVATE_DESTINATIONS: 'true',
      REDIS_URL: redisUrl,
      QUEUE_PREFIX: queuePrefix,
      RETRY_SCHEDULE: '50ms',
      BREAKER_FAILURES: '1',
      BREAKER_PARK_MAX: '200ms',
    };
    const stream = new PassThrough().resume();
    const logger = createLogger({ level: 'warn', service: 'worker', pretty: false, stream });
    notifier = await composeNotifier(loadNotifierConfig(environment), logger);
  });
  afterAll(async () => {
    await notifier.close();
    await Promise.all(apis.map((api) => api.close()));
    await platform.close();
    redis.disconnect();
  });

  const configured = () => ({
    OPERATIONS_WEBHOOK_URL: platform.url,
    OPERATIONS_WEBHOOK_SECRET: `whsec_${KEY.toString('base64')}`,
    OPERATIONS_WEBHOOK_DEBOUNCE: `${DEBOUNCE_MS}ms`,
  });
  const prefix = (): string => environment['QUEUE_PREFIX'] ?? '';
  const state = async (api: ApiRig) =>
    ((await api.admin('get', '/admin/destinations/operations')).body as { state?: string }).state;

  test('a URL needs a signing secret', async () => {
    await expect(start({ OPERATIONS_WEBHOOK_URL: platform.url })).rejects.toThrow(
      'OPERATIONS_WEBHOOK_SECRET is missing: set it',
    );
  });

  test('without a URL, nothing runs', async () => {
    const api = await start();
    await api.newAccount();
    expect(await redis.keys(`*${prefix()}*operations*`)).toEqual([]);
    expect((await api.admin('get', '/admin/destinations/operations')).status).toBe(404);
    await Promise.all(apis.splice(0).map((one) => one.close()));
  });

  test('its dead letters can be redriven, a 410 stops it until the next start, without its URL it is off', async () => {
    platform.setReply(() => ({ status: 500 }));
    const api = await start(configured());
    await eventually(async () => (await state(api)) === 'idle', { what: 'the operations webhook' });
    const account = await api.newAccount();
    const customer = await startReceiver({ reply: () => ({ status: 410 }) });
    const letters = async () =>
      ((await api.admin('get', '/admin/dead-letters')).body as { items: { account: string }[] }).items.filter(
        (letter) => letter.account === '*operations',
      );
    await api.subscribe(account, 'open', customer.url);
    await api.post(anOpen({ account: account.id }));
    await eventually(async () => (await letters()).length === 2, { withinMs: 15_000, what: 'two dead letters' });
    platform.setReply(() => ({ status: 204 }));
    const redriven = await api.admin('post', '/admin/dead-letters/redrive', { account: '*operations' });
    expect(redriven.body).toMatchObject({ redriven: 2 });
    await eventually(async () => (await letters()).length === 0 && (await state(api)) === 'idle', {
      withinMs: 15_000,
      what: 'the delivery of both',
    });
    expect((await api.admin('get', '/admin/accounts/*operations')).body).toMatchObject({
      name: 'Operations webhook',
      destinations: [{ id: 'operations', address: platform.url }],
    });

    platform.setReply(() => ({ status: 410 }));
    await api.subscribe(account, 'click', customer.url);
    await api.post(aClick({ account: account.id }));
    await eventually(async () => (await state(api)) === 'inactive', { withinMs: 15_000, what: 'the end after a 410' });
    platform.setReply(() => ({ status: 204 }));
    const next = await start(configured());
    await eventually(async () => (await state(next)) === 'idle', { withinMs: 15_000, what: 'the new start' });
    await Promise.all(apis.splice(0).map((one) => one.close()));
    expect(await state(await start())).toBe('inactive');
    await customer.close();
  }, 60_000);
});
