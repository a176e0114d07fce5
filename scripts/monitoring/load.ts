import { setTimeout as wait } from 'node:timers/promises';
import { EMAIL_EVENTS_QUEUE } from '@mailhook/core';
import type { ProducerEvent } from '@mailhook/core';
import { aCampaignEvent, acknowledge, anOpen, goodReply, startReceiver } from '@mailhook/testing';
import type { FakeReceiver, ReceivedRequest, ReplyAction } from '@mailhook/testing';
import { Queue } from 'bullmq';
import { newCustomer } from '../../test/end-to-end/rig/customer.ts';
import type { Customer } from '../../test/end-to-end/rig/customer.ts';
import type { StackFile } from '../../test/end-to-end/rig/started-stack.ts';

/** The condition of each customer's receiver. Most are well. */
const RECEIVERS = ['well', 'well', 'well', 'well', 'slow', 'forgetful', 'failing', 'hanging'] as const;
type Condition = (typeof RECEIVERS)[number];

const EVERY_MS = 250;
/** The most events of each mechanism per customer and round, at the top of a wave. */
const MOST_EVENTS = 12;
const WAVE_MS = 40_000;

/**
 * Makes customers with good and bad receivers, and sends events to all of them until `stop`, over HTTP and through
 * Redis.
 */
export async function startDashboardLoad(stack: StackFile): Promise<{ stop(): Promise<void> }> {
  let requests = 0;
  const receiver = await startReceiver({ reply: (request) => answer(request, (requests += 1)) });
  const customers = await Promise.all(RECEIVERS.map((condition, i) => furnish(stack, receiver, `/${condition}/${i}`)));
  const queue = new Queue(EMAIL_EVENTS_QUEUE, { connection: { url: stack.redisUrl }, prefix: 'mailhook' });
  const over = new AbortController();
  const rounds = (async () => {
    for (let round = 0; !over.signal.aborted; round += 1) {
      await sendRound(customers, round);
      if (round % 8 === 0) await sendByRedis(queue, customers, round);
      if (round % 12 === 0) await readAndErr(customers);
      await wait(EVERY_MS);
    }
  })();
  return {
    stop: async () => {
      over.abort();
      await rounds;
      await queue.close();
      await receiver.close();
    },
  };
}

async function furnish(stack: StackFile, receiver: FakeReceiver, path: string): Promise<Customer> {
  const customer = await newCustomer(stack);
  await customer.subscribe('open', `${receiver.url}${path}/open`);
  await customer.setCampaign(`${receiver.url}${path}/campaign`);
  return customer;
}

function answer(request: ReceivedRequest, number: number): ReplyAction {
  const condition = request.path.split('/')[1] as Condition;
  if (condition === 'failing') return { status: 500 };
  if (condition === 'hanging') return { hang: 'reply' };
  if (condition === 'slow') return { ...goodReply(request), delayMs: 400 + (number % 5) * 100 };
  // The reply leaves out every tenth event of a batch.
  if (condition === 'forgetful' && Array.isArray(request.json))
    return acknowledge((request.json as { hash: string }[]).filter((_event, i) => (i + number) % 10 !== 0));
  return { ...goodReply(request), delayMs: 5 + (number % 20) };
}

/** Sends one round of events. Their number goes up and down in waves. */
async function sendRound(customers: readonly Customer[], round: number): Promise<void> {
  const height = (1 - Math.cos((2 * Math.PI * round * EVERY_MS) / WAVE_MS)) / 2;
  await Promise.all(
    customers.map((customer, i) => {
      const isBad = RECEIVERS[i] === 'failing' || RECEIVERS[i] === 'hanging';
      const count = isBad ? 1 : 1 + Math.round(height * MOST_EVENTS);
      return customer.send(eventsOf(count));
    }),
  );
}

const eventsOf = (count: number): ProducerEvent[] => [
  ...Array.from({ length: Math.ceil(count / 3) }, () => anOpen()),
  ...Array.from({ length: count }, () => aCampaignEvent()),
];

/** Sends good events, and now and then one with each kind of mistake. */
async function sendByRedis(queue: Queue, [customer]: readonly Customer[], round: number): Promise<void> {
  const account = customer?.account ?? '';
  const add = (event: object): Promise<unknown> => queue.add('events', { events: [event] });
  await add(aCampaignEvent({ account }));
  if (round % 16 === 0) await add({ ...anOpen({ account }), time: 'noon' });
  if (round % 24 === 0) await add(anOpen({ account: 'nobody' }));
}

/** Lets customers read their settings and send a bad request. */
async function readAndErr(customers: readonly Customer[]): Promise<void> {
  await Promise.all(
    customers.slice(0, 3).map(async (customer) => {
      await customer.call('GET', '/v3/webhook/deliveries?limit=20');
      await customer.call('GET', '/v3/webhook/subscriptions');
      await customer.call('POST', '/v3/webhook/subscriptions', { type: 'open' });
    }),
  );
}
