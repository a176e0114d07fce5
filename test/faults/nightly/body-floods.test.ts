import { anOpen, eventually, freePort, startRedis } from '@mailhook/testing';
import type { ServiceProcess, TestRedis } from '@mailhook/testing';
import { startService } from '../rig/service.ts';
import { sendUnfinished } from '../rig/unfinished-requests.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
/**
 * With V8's young generation, the heap is 144 MiB. Mailhook then assumes 288 MiB of memory and reserves 13 MiB of it
 * for bodies.
 */
const HEAP_MIB = 96;
const MEMORY_MIB = 288;
/** One producer's body may take up to half of the memory for bodies. */
const LARGE_BYTES = 6 * MIB;

const ADMIN_TOKEN = 'admin_of_the_tests'.padEnd(40, 'a');
const PRODUCER_TOKEN = 'producer_'.padEnd(40, 'p');

/**
 * Runs the real API process with little memory. Without the limits, each case ends the process or exceeds its memory.
 */
describe('bodies that would fill the memory of the API', () => {
  let redis: TestRedis;
  let api: ServiceProcess;
  let port: number;
  let opsUrl: string;
  let good: string;
  let hostile: string;
  const ended: string[] = [];

  beforeAll(async () => {
    redis = await startRedis();
    port = await freePort();
    const opsPort = await freePort();
    opsUrl = `http://127.0.0.1:${opsPort}`;
    const env = {
      ADMIN_TOKEN,
      PRODUCER_TOKEN,
      HOST: '127.0.0.1',
      PORT: String(port),
      OPS_PORT: String(opsPort),
      REDIS_URL: redis.url,
      LOG_LEVEL: 'info',
      ALLOW_PRIVATE_DESTINATIONS: 'true',
      NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --max-old-space-size=${HEAP_MIB}`,
    };
    api = await startService('api', env, { onEndedItself: (why) => ended.push(why) });
    good = (await admin<{ id: string }>('/admin/accounts', { name: 'good' })).id;
    const other = await admin<{ id: string }>('/admin/accounts', { name: 'hostile' });
    hostile = (await admin<{ token: string }>(`/admin/accounts/${other.id}/tokens`, {})).token;
  }, 120_000);
  afterAll(async () => {
    await api.kill();
    await redis.stop();
  });

  async function admin<Answer>(path: string, body: object): Promise<Answer> {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' };
    const reply = await fetch(opsUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await reply.json()) as Answer;
  }

  const post = (body: string, type = 'application/json') =>
    fetch(`http://127.0.0.1:${port}/v3/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${PRODUCER_TOKEN}`, 'content-type': type },
      body,
      signal: AbortSignal.timeout(30_000),
    });

  /** Posts another account's events one by one until the work is over, and then five more. */
  async function sendEventsDuring(work: Promise<unknown>): Promise<Set<number>> {
    const statuses = new Set<number>();
    const progress = { isOver: false };
    const over = work.finally(() => (progress.isOver = true));
    for (let after = 0; after < 5; after += progress.isOver ? 1 : 0)
      statuses.add((await post(JSON.stringify(anOpen({ account: good })))).status);
    await over;
    return statuses;
  }

  const isBudgetFree = async (): Promise<boolean> =>
    (await (await fetch(`${opsUrl}/metrics`)).text()).includes('\nmailhook_body_bytes_in_flight 0\n');

  async function expectWell(): Promise<void> {
    expect(ended).toEqual([]);
    expect(api.peakBytes()).toBeLessThan(MEMORY_MIB * MIB);
    await eventually(isBudgetFree, { withinMs: 30_000, what: 'the release of every reserved byte' });
  }

  const bearer = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' });
  const form = { 'content-type': 'application/x-www-form-urlencoded' };

  test.each([
    ['sign-in forms of strangers', '/settings/webhooks/sign-in', () => form, 64 * KIB, 2000],
    ['small sign-in forms of strangers', '/settings/webhooks/sign-in', () => form, 8 * KIB, 300],
    ['bodies of a customer', '/v3/webhook/subscriptions', () => bearer(hostile), 512 * KIB, 300],
    ['bodies of a producer', '/v3/events', () => bearer(PRODUCER_TOKEN), LARGE_BYTES, 40],
  ] as const)(
    'unfinished %s do not stop other requests',
    async (_what, path, headers, bytes, count) => {
      const requests = sendUnfinished({ port, path, headers: headers(), bytes, count });
      try {
        expect(await sendEventsDuring(requests.sent)).toEqual(new Set([202]));
      } finally {
        requests.close();
      }
      await expectWell();
    },
    60_000,
  );

  test('many events for an account with many subscriptions: every request is accepted', async () => {
    const { id } = await admin<{ id: string }>('/admin/accounts', { name: 'many' });
    const { token } = await admin<{ token: string }>(`/admin/accounts/${id}/tokens`, {});
    for (let i = 0; i < 10; i += 1) {
      const address = `http://127.0.0.1:9/${i}`;
      const subscription = JSON.stringify({ address, type: 'open', module: 'transactional_email' });
      const init = { method: 'POST', headers: bearer(token), body: subscription };
      expect((await fetch(`http://127.0.0.1:${port}/v3/webhook/subscriptions`, init)).status).toBe(201);
    }
    const events = JSON.stringify(
      Array.from({ length: 3500 }, () => anOpen({ account: id, messageId: 'm'.repeat(100) })),
    );
    const replies = Promise.all(Array.from({ length: 6 }, () => post(events)));
    expect(await sendEventsDuring(replies)).toEqual(new Set([202]));
    expect((await replies).map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 202));
    await expectWell();
  }, 60_000);

  const repeat = (unit: string): string => unit.repeat(Math.floor((LARGE_BYTES - 100) / unit.length));

  test.each([
    [
      'an array of empty objects',
      `[${repeat('{},')}{}]`,
      'application/json',
      422,
      'must hold 1 to 10000 events, not 20',
    ],
    [
      'an event with an array of empty objects',
      `[{"a":[${repeat('{},')}{}]}]`,
      'application/json',
      413,
      'more than 500000 values',
    ],
    ['nothing but opening brackets', repeat('['), 'application/json', 400, 'more than 1000 levels deep'],
    ['lines of empty objects', repeat('{}\n'), 'application/x-ndjson', 422, 'must hold 1 to 10000 events, not 20'],
    ['a line of opening brackets', repeat('['), 'application/x-ndjson', 400, 'more than 1000 levels deep'],
    [
      'lines of arrays of empty objects',
      repeat(`{"a":[${'{},'.repeat(1000)}{}]}\n`),
      'application/x-ndjson',
      413,
      'more than 500000 values',
    ],
    [
      'a line that is an array of empty objects',
      `[${repeat('{},')}{}]`,
      'application/x-ndjson',
      413,
      'more than 500000 values',
    ],
    ['blank lines', repeat('\n'), 'application/x-ndjson', 422, 'must hold 1 to 10000 events, not 0'],
  ])(
    '%s: refused before parsing, and other requests go on',
    async (_what, body, type, status, detail) => {
      const refused = post(body, type);
      expect(await sendEventsDuring(refused)).toEqual(new Set([202]));
      const reply = await refused;
      expect([reply.status, await reply.json()]).toEqual([
        status,
        expect.objectContaining({ detail: expect.stringContaining(detail) as string }),
      ]);
      await expectWell();
    },
    60_000,
  );
});
