import { EMAIL_EVENTS_QUEUE } from '@mailhook/core';
import { Queue } from 'bullmq';
import { z } from 'zod';
import type { Ledger } from './ledger.ts';
import type { Random } from './random.ts';
import type { Stack } from './stack.ts';

/** An account with two destinations: a transactional subscription and a campaign address. */
export interface Customer {
  readonly account: string;
  readonly token: string;
  readonly notificationPath: string;
  readonly campaignPath: string;
  /** The id of the subscription and its destination. The campaign destination is `campaign-<account>`. */
  readonly subscription: string;
  /** The customer's share of the load, relative to the others. Default: 1. */
  readonly share?: number;
}

/**
 * Makes `count` accounts through the product's APIs. Their receivers are at `/t<n>` and `/c<n>` of `receiverUrl`, with
 * n starting at `first`.
 */
export async function createCustomers(
  stack: Stack,
  receiverUrl: string,
  count: number,
  first = 0,
): Promise<Customer[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => createCustomer(stack, receiverUrl, first + i)));
}

async function createCustomer(stack: Stack, receiverUrl: string, i: number): Promise<Customer> {
  const admin = (path: string, body: unknown) => call(stack.opsUrl + path, stack.adminToken, 'POST', body);
  const { id } = z.object({ id: z.string() }).parse(await admin('/admin/accounts', { name: `Customer ${i}` }));
  const { token } = z.object({ token: z.string() }).parse(await admin(`/admin/accounts/${id}/tokens`, {}));
  const paths = { notificationPath: `/t${i}`, campaignPath: `/c${i}` };
  const subscription = await call(`${stack.baseUrl}/v3/webhook/subscriptions`, token, 'POST', {
    address: receiverUrl + paths.notificationPath,
    type: 'open',
    module: 'transactional_email',
  });
  await call(`${stack.baseUrl}/v3/webhook/campaign`, token, 'PUT', { address: receiverUrl + paths.campaignPath });
  return { account: id, token, ...paths, subscription: z.object({ id: z.string() }).parse(subscription).id };
}

async function call(url: string, token: string, method: string, body: unknown): Promise<unknown> {
  const reply = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(20_000),
  });
  if (!reply.ok) throw new Error(`${method} ${url}: ${reply.status} ${await reply.text()}`);
  return reply.json();
}

/** A producer that sends until it is stopped, and adds accepted events to the ledger. */
export interface Load {
  readonly refused: number;
  /** Requests to the api that have no reply yet. */
  readonly pending: number;
  stop(): Promise<void>;
}

export interface LoadOptions {
  readonly stack: Stack;
  readonly ledger: Pick<Ledger, 'accept'>;
  readonly random: Random;
  readonly customers: readonly Customer[];
  /** Part of every event's name. Each load of a run needs a different one. */
  readonly series: string;
  /** Sends a request at this interval, even while earlier ones have no reply. */
  readonly everyMs: number;
  readonly notifications: number;
  readonly campaignEvents: number;
  /** While this returns true, the load sends nothing. */
  readonly isHeld?: () => boolean;
}

/** Every fifth request goes straight into Redis, as a producer's BullMQ job. */
const REDIS_FED_EVERY = 5;

/** Starts a load. Each request holds events of both mechanisms for a few customers. */
export function startLoad(options: LoadOptions): Load {
  const { client, queuePrefix } = options.stack;
  const queue = new Queue(EMAIL_EVENTS_QUEUE, { connection: client, prefix: queuePrefix });
  queue.on('error', () => undefined);
  let refused = 0;
  let sequence = 0;
  let posted = 0;
  const pending = new Set<Promise<void>>();
  const send = async (): Promise<void> => {
    sequence += 1;
    const { events, keys } = makeEvents(options, `${options.series}${sequence}`);
    try {
      if (sequence % REDIS_FED_EVERY === 0) {
        // Because of its id, an add that is repeated after a lost reply adds nothing.
        await queue.add('events', { events }, { jobId: `fed-${options.series}-${sequence}` });
        options.ledger.accept(keys);
        return;
      }
      posted += 1;
      const reply = await post(options.stack, events).finally(() => (posted -= 1));
      if (reply === 202) options.ledger.accept(keys);
      else refused += 1;
    } catch {
      refused += 1;
    }
  };
  const timer = setInterval(() => {
    if (options.isHeld?.() === true) return;
    const sending = send().finally(() => pending.delete(sending));
    pending.add(sending);
  }, options.everyMs);
  return {
    get refused() {
      return refused;
    },
    get pending() {
      return posted;
    },
    async stop() {
      clearInterval(timer);
      await Promise.all(pending);
      await queue.close();
    },
  };
}

/** Posts events to the api. Resolves with the status of the reply. */
export async function post(
  stack: Pick<Stack, 'baseUrl' | 'producerToken'>,
  events: readonly object[],
): Promise<number> {
  const reply = await fetch(`${stack.baseUrl}/v3/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stack.producerToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(events),
    signal: AbortSignal.timeout(20_000),
  });
  await reply.arrayBuffer();
  return reply.status;
}

/** Makes the events of one request. Their contents depend only on the seed and the request's name. */
function makeEvents(options: LoadOptions, request: string): { events: object[]; keys: string[] } {
  const random = options.random.about(request);
  const events: object[] = [];
  const keys: string[] = [];
  const time = Math.floor(Date.now() / 1000);
  for (let i = 0; i < options.notifications; i += 1) {
    const { account, notificationPath } = pickCustomer(random, options.customers);
    const messageId = `<${request}.${i}@sender.example>`;
    events.push({ account, module: 'transactional_email', name: 'open', messageId, time, ip: '192.0.2.7' });
    keys.push(`${notificationPath} ${messageId}`);
  }
  const { account, campaignPath } = pickCustomer(random, options.customers);
  for (let i = 0; i < options.campaignEvents; i += 1) {
    const email = `r${request}.${i}@${campaignPath.slice(1)}.example.com`;
    const kind = i === 0 ? 'unsubscribe' : 'open';
    events.push({ account, module: 'campaign', event: kind, campaign: 'aBcDeFgHiJ', email, timestamp: time });
    keys.push(email);
  }
  return { events, keys };
}

function pickCustomer(random: Random, customers: readonly Customer[]): Customer {
  const shares = customers.map(({ share = 1 }) => share);
  let left = random.next() * shares.reduce((sum, share) => sum + share, 0);
  return customers.find((_, i) => (left -= shares[i] ?? 0) < 0) ?? random.pick(customers);
}
