import { anOpen, eventually, startReceiver } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import { callApi } from '../end-to-end/rig/customer.ts';
import { startStack } from './rig/stack.ts';
import type { Stack } from './rig/stack.ts';

const KEY = 'mailhook:operations-webhook';
const FAILING = `${KEY}:failing:0:transactional`;

interface Message {
  readonly type: string;
  readonly from: string;
  readonly to: string;
}

describe('the operations webhook, when the api is killed', () => {
  let stack: Stack;
  let customer: FakeReceiver;
  let platform: FakeReceiver;
  beforeAll(async () => {
    [customer, platform] = [await startReceiver(), await startReceiver({ reply: () => ({ status: 204 }) })];
    stack = await startStack({
      workers: { 'transactional-notifier': 1, 'campaign-batcher': 0 },
      env: {
        BREAKER_FAILURES: '2',
        BREAKER_PARK_MAX: '200ms',
        RETRY_SCHEDULE: Array.from({ length: 500 }, () => '100ms').join(','),
        OPERATIONS_WEBHOOK_URL: platform.url,
        OPERATIONS_WEBHOOK_SECRET: `whsec_${Buffer.alloc(24, 'k').toString('base64')}`,
        OPERATIONS_WEBHOOK_DEBOUNCE: '1s',
      },
    });
  }, 120_000);
  afterAll(async () => {
    await stack.close();
    await Promise.all([customer.close(), platform.close()]);
  }, 60_000);

  const messages = (type: string) =>
    platform.requests.map(({ json }) => json as Message).filter((message) => message.type === type);
  const message = (type: string) =>
    eventually(() => messages(type)[0], { withinMs: 20_000, what: `the message ${type}` });
  const kept = async (): Promise<string> => (await stack.client.hvals(FAILING)).join();
  const period = async () => (await stack.client.hget(`${KEY}:dead-letters`, '0')) ?? '';
  const admin = (path: string, body: unknown) =>
    callApi(`${stack.opsUrl}/admin${path}`, stack.adminToken, 'POST', body);

  test('continues where it was, and sends no message twice that it had published but not noted', async () => {
    await eventually(async () => (await period()) !== '', { what: 'the first check' });
    const { id: account } = (await admin('/accounts', { name: 'Acme' })).json as { id: string };
    const { token } = (await admin(`/accounts/${account}/tokens`, {})).json as { token: string };
    const input = { address: customer.url, type: 'open', module: 'transactional_email' };
    const created = await callApi(`${stack.baseUrl}/v3/webhook/subscriptions`, token, 'POST', input);
    const { id } = created.json as { id: string };
    customer.setReply(() => ({ status: 500 }));
    const sent = await callApi(`${stack.baseUrl}/v3/events`, stack.producerToken, 'POST', [anOpen({ account })]);
    expect(sent.status).toBe(202);
    await eventually(async () => (await kept()) !== '', {
      withinMs: 10_000,
      what: 'the note of the parked destination',
    });
    const noted = await stack.client.hgetall(FAILING);
    await stack.api.kill();
    expect(messages('destination.failing')).toEqual([]);
    await stack.restartApi();
    await message('destination.failing');
    await admin(`/destinations/${id}/drop`, { confirm: id });
    const { from, to } = await message('dead_letters.added');

    // The content of Redis when the api dies between publishing and noting it.
    await stack.api.kill();
    await stack.client.hset(FAILING, noted);
    const ms = { from: Date.parse(from), to: Date.parse(to) };
    await stack.client.hset(`${KEY}:dead-letters`, '0', JSON.stringify(ms));
    await stack.restartApi();
    await eventually(async () => (await kept()).includes('isAnnounced'), { withinMs: 40_000, what: 'the repetition' });
    await eventually(async () => !(await period()).includes(`"from":${ms.from}`), { what: 'the next period' });

    customer.setReply(() => ({ status: 200 }));
    await callApi(`${stack.baseUrl}/v3/events`, stack.producerToken, 'POST', [anOpen({ account })]);
    // The last message comes after the repeated ones, in the same mailbox.
    await message('destination.recovered');
    expect(platform.requests.map(({ json }) => (json as Message).type).sort()).toEqual([
      'dead_letters.added',
      'destination.failing',
      'destination.recovered',
    ]);
  }, 120_000);
});
