import type { DeliveryAttempt } from '@mailhook/core';
import { campaignDestinationId, coded, subscriptionType } from '@mailhook/core';
import { anEvent, eventually } from '@mailhook/testing';
import { writePast } from '../../test/browser/rig/history.ts';
import type { RecordedAttempt } from '../../test/browser/rig/history.ts';
import type { Services, TestCustomer } from '../../test/browser/rig/services.ts';

const HOST = 'https://hooks.acme.example';

/** Events per hour of a day on which a newsletter goes out at nine. */
const DAY = [9, 6, 4, 3, 2, 4, 12, 40, 96, 310, 240, 170, 130, 110, 92, 84, 78, 70, 66, 54, 41, 30, 22, 14];
/** The share of failed attempts in the hours with failures. */
const BAD_HOURS: ReadonlyMap<number, number> = new Map([
  [9, 0.08],
  [10, 0.3],
  [11, 0.05],
]);

/**
 * Makes an account as it looks after a day's work. No receiver exists, so it writes the history where the workers would
 * write it.
 */
export async function furnish(services: Services): Promise<TestCustomer> {
  const customer = await services.newCustomer('Acme Newsletter');
  const api = services.as(customer.token);
  await api('PUT', '/v3/webhook/campaign', { address: `${HOST}/campaigns`, active: true });
  const subscriptions: Record<string, string> = {};
  for (const type of subscriptionType.options) {
    const body = { address: `${HOST}/mail/${type}s`, type, module: 'transactional_email' };
    subscriptions[type] = ((await api('POST', '/v3/webhook/subscriptions', body)) as { id: string }).id;
  }
  await api('POST', '/v3/webhook/secrets');
  // This name does not resolve, so the engine itself makes dead letters of these events.
  await services.send([
    anEvent('bounce', { account: customer.account }),
    anEvent('bounce', { account: customer.account }),
  ]);
  await eventually(
    async () => ((await api('GET', '/v3/webhook/dead-letters')) as { items: unknown[] }).items.length === 2,
    { what: 'two dead letters', withinMs: 20_000 },
  );
  await writeHistory(customer, subscriptions, services.queues);
  return customer;
}

async function writeHistory(
  { account }: TestCustomer,
  subscriptions: Readonly<Record<string, string>>,
  queues: Services['queues'],
): Promise<void> {
  const shareOf: readonly (readonly [string, number])[] = [
    [campaignDestinationId(account), 40],
    [subscriptions['open'] ?? '', 2],
    [subscriptions['click'] ?? '', 0.6],
  ];
  const deliveries = new Map(
    shareOf.map(([destination, share]) => [
      destination,
      (hoursAgo: number) => {
        const hour = DAY.length - 1 - hoursAgo;
        const events = DAY[hour] ?? 0;
        const attempts = Math.ceil(events / 10);
        const failed = Math.round(attempts * (BAD_HOURS.get(hour) ?? 0));
        const delivered = Math.round((events * share) / attempts);
        return { attempts, failed, events: delivered, replyMs: (i: number) => 20 + ((i * 37) % 60) };
      },
    ]),
  );
  const nowMs = Date.now();
  const attempts = attemptsOf(subscriptions, nowMs).map((attempt) => ({
    ...attempt,
    account,
    eventKeys: [],
    facts: factsOf(attempt, Math.floor(nowMs / 1000)),
  }));
  await writePast(queues, { account, deliveries, hours: DAY.length, deadlineMs: 5000, attempts });
}

type AttemptFacts = NonNullable<RecordedAttempt['facts']>;

/** What the pages show of an opened attempt. */
const factsOf = ({ status, events }: DeliveryAttempt, at: number): AttemptFacts => ({
  request: { at, bytes: events * 231, signatures: 1, by: '0.1.0' },
  ...(status === 'failed' && {
    reply: {
      status: 200,
      headers: { 'content-type': 'application/json', server: 'nginx' },
      body: '[{"hash":"3f2a9c1d7e5b40868c1f","status":true},{"hash":"b81c02d94f6a4c12a7de","status":true}, …',
      isBodyWhole: false,
    },
  }),
  eventKeys: status === 'failed' ? ['9d0c41f7b2e84a5c8e17', '51aa8c3e07d94bb2a6f0', 'e7b63f20c91d4d0f9a58'] : [],
});

function attemptsOf(subscriptions: Readonly<Record<string, string>>, nowMs: number): DeliveryAttempt[] {
  // Later than the dead letters, which are a moment old.
  let secondsAgo = -8;
  const attempt = (kind: 'campaign' | 'open' | 'click', more: Partial<DeliveryAttempt>): DeliveryAttempt => {
    secondsAgo += 1;
    const place =
      kind === 'campaign'
        ? { kind, shape: 'batch' as const, destination: kind, address: `${HOST}/campaigns` }
        : {
            kind: 'transactional' as const,
            shape: 'single' as const,
            destination: subscriptions[kind] ?? '',
            address: `${HOST}/mail/${kind}s`,
          };
    const time = new Date(nowMs - secondsAgo * 1000).toISOString();
    const good = { attempt: 1, status: 'delivered' as const, httpStatus: 200, durationMs: 84, events: 1 };
    const webhookId = `msg_2x6Hq9TnV4aLw0Zr8YbKc${secondsAgo + 100}`;
    return { id: `shown${secondsAgo}`, webhookId, time, ...good, ...place, ...more };
  };
  return [
    attempt('campaign', { events: 240, durationMs: 131 }),
    attempt('click', { durationMs: 46 }),
    attempt('campaign', { events: 12, attempt: 2, durationMs: 92 }),
    attempt('open', { durationMs: 38 }),
    attempt('campaign', {
      events: 310,
      durationMs: 127,
      status: 'failed',
      error: coded('confirms-some', {
        open: 12,
        events: 310,
        fault: coded('no-item-more', { hashes: '“a8Kq2ZrL0x”', more: 11 }),
      }),
      nextAttemptAt: new Date(nowMs + 6000).toISOString(),
    }),
    attempt('open', { durationMs: 41 }),
    attempt('click', { durationMs: 52 }),
  ];
}
