import { Redis } from 'ioredis';
import { engineKeys } from '@mailhook/delivery';
import { startRedis } from '@mailhook/testing';
import { MODULE, startApi } from '../../../../services/api/src/api-rig.suite.ts';
import type { ApiRig, TestAccount } from '../../../../services/api/src/api-rig.suite.ts';
import { browserOf, PAGE } from '../../../../services/api/src/settings-page-rig.suite.ts';

const HOUR_AGO = Date.parse('2026-01-02T03:00:00Z');
const ROWS = 10_000;

/** A row of the log of attempts. */
const row = (n: number, change: object = {}): string =>
  JSON.stringify({
    id: `batch-${n}`,
    time: new Date(HOUR_AGO + n * 100).toISOString(),
    kind: 'transactional',
    shape: 'single',
    destination: 'another',
    address: 'https://receiver.example.com/a-path-of-usual-length',
    events: 1,
    attempt: 1,
    status: 'failed',
    httpStatus: 500,
    durationMs: 12.5,
    error: 'The receiver answered HTTP 500 Internal Server Error',
    keys: 'AAAAAA==',
    ...change,
  });

const bytesIn = (headers: Readonly<Record<string, string>>): number =>
  Object.entries(headers).reduce((sum, [name, value]) => sum + `${name}: ${value}\r\n`.length, 0);

/** Measures what Redis sends for the settings page of an account with a full log and inactive subscriptions. */
describe('settings page of an account with a full log', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let connection: Redis;
  let api: ApiRig;
  let account: TestAccount;
  beforeAll(async () => {
    redis = await startRedis();
    connection = new Redis(redis.url);
    api = await startApi({ REDIS_URL: redis.url });
    account = await api.newAccount();
    const ids = await Promise.all(Array.from({ length: 20 }, () => api.subscribe(account)));
    const off = { module: MODULE, active: false };
    for (const id of ids) await api.as(account.token)('put', `/v3/webhook/subscriptions/${id}`, off);
    const keyOf = (list: string) => `${engineKeys(api.prefix, 0, 'campaign').shared}attempts:${account.id}:${list}`;
    const delivered = { status: 'delivered', httpStatus: 200, error: undefined };
    for (let n = 0; n < ROWS; n += 1) {
      await Promise.all([
        connection.lpush(keyOf('failed'), row(n)),
        connection.lpush(keyOf('delivered'), row(n, { ...delivered, id: `d-${n}` })),
      ]);
    }
  }, 60_000);
  afterAll(async () => {
    connection.disconnect();
    await api.close();
    await redis.stop();
  });

  /** Bytes that Redis sent while `work` ran. */
  async function bytesOf(work: () => Promise<unknown>): Promise<number> {
    const sent = async () => Number(/total_net_output_bytes:(\d+)/.exec(await connection.info('stats'))?.[1]);
    const before = await sent();
    await work();
    return (await sent()) - before;
  }

  it('reads only the newest rows of the log for the updates of an open page', async () => {
    const browser = await browserOf(api, account.token);
    await browser.get(`${PAGE}/news`);
    const bytes = await bytesOf(async () => {
      expect((await browser.get(`${PAGE}/news`)).status).toBe(200);
    });
    // The newest 500 rows of each log.
    expect(bytes).toBeLessThan(600_000);
  });

  it('reads the log once for 200 open pages of the account, and answers an unchanged page with 304', async () => {
    const browser = await browserOf(api, account.token);
    await browser.get();
    const bytes = await bytesOf(async () => {
      const polls = await Promise.all(Array.from({ length: 200 }, () => browser.get(`${PAGE}/news`)));
      expect(new Set(polls.map(({ status }) => status))).toEqual(new Set([200]));
      const tag = polls[0]?.get('etag') ?? '';
      const again = await browser.get(`${PAGE}/news`).set('if-none-match', tag);
      expect(again.status).toBe(304);
      // Over seven hundred times an hour.
      expect(bytesIn(again.headers as Record<string, string>)).toBeLessThan(400);
    });
    // A slow machine may read it a few times. 200 times would be over 80 MB.
    expect(bytes).toBeLessThan(10_000_000);
  });

  it('packs the updates of an open page, unless the client cannot unpack them', async () => {
    const browser = await browserOf(api, account.token);
    const packed = await browser.get(`${PAGE}/news`).set('accept-encoding', 'gzip');
    const plain = await browser.get(`${PAGE}/news`).set('accept-encoding', 'identity');
    expect([packed.get('content-encoding'), plain.get('content-encoding')]).toEqual(['gzip', undefined]);
    expect(packed.get('vary')).toContain('Accept-Encoding');
    expect(packed.text.length).toBeGreaterThan(1000);
    expect(Number(packed.get('content-length'))).toBeLessThan(Number(plain.get('content-length')) / 3);
  });

  it('sends only what has changed to a page that has the update before', async () => {
    const browser = await browserOf(api, account.token);
    const ask = (tag?: string) =>
      browser
        .get(`${PAGE}/news`)
        .set({ accept: 'application/json', ...(tag !== undefined && { 'if-none-match': tag }) });
    const first = await ask();
    expect(first.type).toBe('text/html');
    await api.subscribe(account, 'click');
    await browser.get();
    const later = await ask(first.get('etag'));
    expect(later.type).toBe('application/json');
    expect(bytesIn(later.headers as Record<string, string>)).toBeLessThan(500);
    expect([first, later].map((one) => one.get('x-content-type-options'))).toEqual(['nosniff', 'nosniff']);
    expect(first.get('content-security-policy')).toContain("default-src 'none'");
    expect(later.text.length).toBeLessThan(first.text.length / 5);
    // An update that the api does not have any more cannot be compared.
    expect((await ask('W/"unknown"')).type).toBe('text/html');
  });
});
