import {
  aCampaignEvent,
  anOpen,
  eventually,
  freePort,
  startConnectProxy,
  startReceiver,
  startRedis,
} from '@mailhook/testing';
import type { ConnectProxy, FakeReceiver } from '@mailhook/testing';
import { readScrape } from '../../scripts/monitoring/scrape.ts';
import { callJson, composeServices } from './rig/composed-services.ts';

const [ADMIN_TOKEN, PRODUCER_TOKEN] = ['admin-token-of-the-tests', 'producer-token-of-the-tests'];

describe('the services with an outgoing proxy', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let services: Awaited<ReturnType<typeof composeServices>>;
  let receiver: FakeReceiver;
  let platform: FakeReceiver;
  let proxy: ConnectProxy | undefined;
  let proxyPort: number;
  let account: string;
  let token: string;

  beforeAll(async () => {
    redis = await startRedis({ appendonly: true });
    [receiver, platform] = [await startReceiver(), await startReceiver({ reply: () => ({ status: 204 }) })];
    proxyPort = await freePort();
    services = await composeServices({
      redisUrl: redis.url,
      adminToken: ADMIN_TOKEN,
      producerToken: PRODUCER_TOKEN,
      env: {
        ALLOW_PRIVATE_DESTINATIONS: 'true',
        EGRESS_PROXY_URL: `http://user:hunter2@127.0.0.1:${proxyPort}`,
        // A single failed attempt would park a destination and keep its events for an hour.
        BREAKER_FAILURES: '1',
        RETRY_SCHEDULE: '1h',
        BREAKER_PARK_MAX: '1h',
        OPERATIONS_WEBHOOK_URL: `${platform.url}/platform`,
        OPERATIONS_WEBHOOK_SECRET: `whsec_${Buffer.alloc(24, 'k').toString('base64')}`,
        OPERATIONS_WEBHOOK_DEBOUNCE: '1s',
      },
    });
    const admin = `${services.opsUrls[0] ?? ''}/admin/accounts`;
    account = ((await callJson(admin, ADMIN_TOKEN, 'POST', { name: 'behind a proxy' })) as { id: string }).id;
    token = ((await callJson(`${admin}/${account}/tokens`, ADMIN_TOKEN, 'POST', {})) as { token: string }).token;
    const input = { address: `${receiver.url}/hook`, type: 'open', module: 'transactional_email' };
    await call('POST', '/v3/webhook/subscriptions', input);
    await call('PUT', '/v3/webhook/campaign', { address: `${receiver.url}/hook`, active: true });
  }, 60_000);
  afterAll(async () => {
    await services.close();
    await Promise.all([receiver.close(), platform.close(), proxy?.close()]);
    await redis.stop();
  }, 60_000);

  const call = (method: string, path: string, body: unknown) =>
    callJson(`${services.baseUrl}${path}`, token, method, body);
  const send = () =>
    callJson(`${services.baseUrl}/v3/events`, PRODUCER_TOKEN, 'POST', [
      anOpen({ account }),
      aCampaignEvent({ account }),
    ]);
  const proxyFaults = async (opsUrl: string): Promise<number> => {
    const scrape = readScrape(await (await fetch(`${opsUrl}/metrics`)).text());
    const isProxy = ({ metric, labels }: (typeof scrape)[number]): boolean =>
      metric === 'mailhook_local_faults_total' && labels.get('cause') === 'proxy';
    return scrape.filter(isProxy).reduce((sum, { value }) => sum + value, 0);
  };
  const attempts = () => receiver.requests.map(({ headers }) => headers['webhook-attempt']);

  test('while the proxy is down, no attempt is used up, and a test says so', async () => {
    await send();
    for (const opsUrl of services.opsUrls.slice(1)) {
      await eventually(async () => (await proxyFaults(opsUrl)) >= 2, { withinMs: 20_000, what: `faults at ${opsUrl}` });
    }
    const result = await call('POST', '/v3/webhook/campaign/test', {});
    expect(result).toEqual({
      success: false,
      message: 'Mailhook could not send the request just now (its outgoing proxy does not work); try again',
    });
    await eventually(
      async () => (await (await fetch(`${services.opsUrls[1] ?? ''}/readyz`)).text()).includes('proxy'),
      {
        withinMs: 30_000,
        what: 'the reason in /readyz',
      },
    );
    expect(await (await fetch(`${services.opsUrls[1] ?? ''}/readyz`)).text()).not.toContain('hunter2');
    expect(receiver.requests).toEqual([]);
    proxy = await startConnectProxy({ port: proxyPort, credentials: 'user:hunter2' });
    await receiver.waitForRequests(2, 30_000);
    expect(attempts()).toEqual(['1', '1']);
  }, 90_000);

  test('deliveries, tests, the doctor and the operations webhook go through it', async () => {
    const target = `127.0.0.1:${receiver.port}`;
    const [before, seen] = [proxy?.targets.length ?? 0, receiver.requests.length];
    expect(await call('POST', '/v3/webhook/campaign/test', {})).toMatchObject({ success: true });
    expect(await call('POST', '/v3/webhook/doctor', { address: receiver.url, kind: 'campaign' })).toMatchObject({
      failed: 0,
    });
    expect(new Set(proxy?.targets.slice(before))).toEqual(new Set([target]));
    expect(receiver.requests.length).toBeGreaterThan(seen + 1);
    receiver.setReply(() => ({ status: 500 }));
    await send();
    await platform.waitForRequests(1, 30_000);
    expect(proxy?.targets).toContain(`127.0.0.1:${platform.port}`);
    expect(platform.requests[0]?.path).toBe('/platform');
  }, 60_000);
});
