import { eventually } from '@mailhook/testing';
import type { CountingReceiver } from './rig/counting-receiver.ts';
import { startCountingReceiver } from './rig/counting-receiver.ts';
import { createLedger } from './rig/ledger.ts';
import type { Customer } from './rig/load.ts';
import { createCustomers, post } from './rig/load.ts';
import type { Stack } from './rig/stack.ts';
import { startStack } from './rig/stack.ts';

const REDIS_BYTES = 64_000_000;
const OTHERS = 10;
/** Each request of the flood holds 40 clicks of 10 kB. */
const CLICKS = 40;
const LONG_URL = `https://example.com/${'x'.repeat(9900)}`;

describe('one account floods a Redis of 64 MB', () => {
  const ledger = createLedger();
  let receiver: CountingReceiver;
  let stack: Stack;
  let flooding: Customer;
  let others: Customer[];
  let sequence = 0;

  beforeAll(async () => {
    receiver = await startCountingReceiver(ledger, (path) =>
      path === flooding.campaignPath ? { delayMs: 0, status: 500 } : { delayMs: 0 },
    );
    stack = await startStack({
      workers: { 'transactional-notifier': 0, 'campaign-batcher': 0 },
      appendfsync: 'everysec',
      // A short schedule without a poison search makes the flood's events dead letters soon.
      env: { RETRY_SCHEDULE: '100ms', POISON_SPLIT: 'false' },
    });
    await stack.client.config('SET', 'maxmemory', String(REDIS_BYTES));
    [flooding, ...others] = (await createCustomers(stack, receiver.url, OTHERS + 1)) as [Customer, ...Customer[]];
  }, 60_000);
  afterAll(async () => {
    await stack.close();
    await receiver.close();
  });

  async function publish(account: string, count: number, url: string): Promise<number> {
    const events = Array.from({ length: count }, () => {
      sequence += 1;
      const timestamp = Math.floor(Date.now() / 1000);
      const email = `r${sequence}@example.com`;
      return { account, module: 'campaign', event: 'click', campaign: 'aBcDeFgHiJ', email, timestamp, url };
    });
    const status = await post(stack, events);
    if (status === 202 && account !== flooding.account) ledger.accept(events.map(({ email }) => email));
    return status;
  }

  /**
   * Posts for the flooding account until it gets `refusals` refusals. After each request, another account's event must
   * be accepted.
   */
  async function flood(refusals: number): Promise<number> {
    let accepted = 0;
    for (let refused = 0, turn = 0; refused < refusals; turn += 1) {
      const status = await publish(flooding.account, CLICKS, LONG_URL);
      if (status === 202) {
        accepted += 1;
      } else {
        expect(status).toBe(429);
        refused += 1;
      }
      expect(await publish(others[turn % OTHERS]?.account ?? '', 1, 'https://example.com/')).toBe(202);
    }
    return accepted;
  }

  const usedShare = async (): Promise<number> =>
    Number(/used_memory:(\d+)/.exec(await stack.client.info('memory'))?.[1]) / REDIS_BYTES;

  test('with the workers stopped, the flooding account gets 429 and every other account 202', async () => {
    expect(await flood(20)).toBeGreaterThan(5);
    expect(await usedShare()).toBeLessThan(0.8);
  }, 60_000);

  test('with a dead receiver, the flooding account still gets 429, and events of others are delivered', async () => {
    await stack.startWorker('campaign-batcher');
    await eventually(() => ledger.outstanding === 0, { withinMs: 30_000, what: 'the events of the other accounts' });
    // The flooding account's queued chunks become dead letters, which count against its budget as well.
    await flood(20);
    await eventually(() => ledger.outstanding === 0, { withinMs: 30_000, what: 'the events of the other accounts' });
    expect(await usedShare()).toBeLessThan(0.8);
    expect(stack.endedThemselves).toEqual([]);
    expect(ledger.duplicates).toBe(0);
  }, 90_000);
});
