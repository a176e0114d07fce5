import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { batchOutcome, localFaultReason, notificationOutcome } from '@mailhook/core';
import type { ReceiverClient } from '@mailhook/delivery';
import { Queue, Worker } from 'bullmq';
import type { Redis } from '@mailhook/platform/redis';

/**
 * Mailhook is compared with *plain* (one BullMQ job per event, one worker pool) and *raw* (the same HTTP client without
 * a queue).
 */
type Body = { readonly hash?: string | undefined; readonly version?: number };
export type Letter = { readonly address: string; readonly body: Body };
type Posted = { readonly address: string; readonly body: string; readonly hashes?: string[] };
type Client = Pick<ReceiverClient, 'post'>;

const shared = (connection: Redis) => ({ connection, prefix: 'plain' });
const hashesOf = (bodies: readonly Body[]): string[] => bodies.map(({ hash = '' }) => hash);

async function send(client: Client, address: string, body: string, hashes?: string[]): Promise<void> {
  const identity = { webhookId: `msg_${randomUUID()}`, attempt: 1, secrets: [] };
  const reply = await client.post({ account: '', address, body, ...identity, needsBody: hashes !== undefined });
  if (reply.type === 'local-fault') throw new Error(String(localFaultReason(reply)));
  const outcome = hashes === undefined ? notificationOutcome(reply) : batchOutcome(reply, hashes);
  if (outcome.error !== undefined) throw new Error(String(outcome.error));
}

export function plainQueue(connection: Redis, kind: string) {
  const queue = new Queue<Letter>(`plain-${kind}`, shared(connection));
  const opts = { attempts: 10, backoff: { type: 'exponential', delay: 5000 } };
  return {
    add: (data: Letter) => queue.add('event', data, opts),
    addAll: (letters: Letter[]) => queue.addBulk(letters.map((data) => ({ name: 'event', data, opts }))),
  };
}

/** Plain's worker for notifications: one request per job. */
export const plainNotifier = (connection: Redis, client: Client, concurrency = 50) =>
  new Worker<Letter>('plain-transactional', ({ data }) => send(client, data.address, JSON.stringify(data.body)), {
    ...shared(connection),
    concurrency,
    removeOnComplete: { count: 0 },
  });

/**
 * Plain's worker for campaign events. Active jobs wait for the batch of their URL, which leaves with 1,000 events or
 * after 20 ms.
 */
export function plainBatcher(connection: Redis, client: Client, concurrency = 2000) {
  type Batch = { bodies: Body[]; full: AbortController; sent: Promise<void> };
  const open = new Map<string, Batch>();
  const begin = (address: string): Batch => {
    const bodies: Body[] = [];
    const full = new AbortController();
    const leave = async (): Promise<void> => {
      await setTimeout(20, undefined, { signal: full.signal }).catch(() => undefined);
      if (open.get(address) === batch) open.delete(address);
      const text = JSON.stringify(bodies.map((body) => ({ ...body, attempt: 1 })));
      await send(client, address, text, hashesOf(bodies));
    };
    const batch: Batch = { bodies, full, sent: leave() };
    open.set(address, batch);
    return batch;
  };
  const process = async ({ data: { address, body } }: { data: Letter }): Promise<void> => {
    const batch = open.get(address) ?? begin(address);
    if (batch.bodies.push(body) === 1000) {
      open.delete(address);
      batch.full.abort();
    }
    await batch.sent;
  };
  return new Worker('plain-campaign', process, { ...shared(connection), concurrency, removeOnComplete: { count: 0 } });
}

/** Posts prebuilt bodies, a fixed number in flight. Reads and checks the acknowledgements, as a delivery must. */
export async function raw(client: Client, requests: Posted[], inFlight: number) {
  const left = requests.values();
  const lane = async (): Promise<void> => {
    for (const { address, body, hashes } of left) await send(client, address, body, hashes);
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
}
