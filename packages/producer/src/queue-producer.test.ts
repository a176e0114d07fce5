import { randomUUID } from 'node:crypto';
import { EMAIL_EVENTS_QUEUE } from '@mailhook/core';
import { testRedisUrl } from '@mailhook/testing';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import type { ProducerEvent } from './events.ts';
import type { Producer } from './producer.ts';
import { InvalidEventsError, SendError } from './producer.ts';
import { createQueueProducer } from './queue-producer.ts';

const unsubscribe = (number: number): ProducerEvent => ({
  account: 'account-1',
  module: 'campaign',
  event: 'unsubscribe',
  campaign: 'c123456789',
  email: `reader-${number}@example.com`,
  timestamp: 1_700_000_000,
});

let url: string;
let redis: Redis;
const prefix = `test-${randomUUID()}`;
let queue: Queue<{ events: ProducerEvent[] }>;
let producer: Producer;

beforeAll(async () => {
  url = await testRedisUrl();
  redis = new Redis(url, { maxRetriesPerRequest: null });
  queue = new Queue(EMAIL_EVENTS_QUEUE, { connection: redis, prefix });
});
beforeEach(() => {
  producer = createQueueProducer({ url, prefix });
});
afterEach(async () => {
  await producer.close();
  await queue.obliterate({ force: true });
});
afterAll(async () => {
  await queue.close();
  redis.disconnect();
});

test('adds the events as one job under the prefix', async () => {
  await expect(producer.send([unsubscribe(0), unsubscribe(1)])).resolves.toEqual({ accepted: 2 });
  const jobs = await queue.getWaiting();
  expect(jobs.map(({ data }) => data)).toMatchObject([{ events: [unsubscribe(0), unsubscribe(1)] }]);
  const ids = jobs.flatMap(({ data }) => data.events.map(({ id }) => id));
  expect(new Set(ids).size).toBe(2);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
});

test('adds more than 10,000 events as several jobs', async () => {
  await producer.send(Array.from({ length: 10_001 }, (_, number) => unsubscribe(number)));
  const jobs = await queue.getWaiting(0, -1);
  expect(jobs.map(({ data }) => data.events.length).sort((a, b) => b - a)).toEqual([10_000, 1]);
});

test('rejects an invalid event by index and field, and adds no job', async () => {
  const wrong = { ...unsubscribe(1), campaign: 'short' };
  await expect(producer.send([unsubscribe(0), wrong])).rejects.toThrow(InvalidEventsError);
  await expect(producer.send([unsubscribe(0), wrong])).rejects.toThrow(
    'events[1].campaign: must be exactly 10 characters',
  );
  await expect(queue.getWaitingCount()).resolves.toBe(0);
});

test("uses the caller's connection and leaves it open", async () => {
  const shared = createQueueProducer({ redis, prefix });
  await shared.send([unsubscribe(0)]);
  await shared.close();
  await expect(redis.ping()).resolves.toBe('PONG');
});

test('reports a Redis that is away instead of waiting for it', async () => {
  const away = createQueueProducer({ url: 'redis://127.0.0.1:1', prefix });
  const failure = await away.send([unsubscribe(0)]).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(SendError);
  expect((failure as SendError).message).toBe(
    'Redis cannot be reached (connect ECONNREFUSED 127.0.0.1:1); whether it took these events is unknown',
  );
  await away.close();
});

test.each(['localhost', 'localhost:6379', '', 'http://127.0.0.1'])('names the url %j as the fault', (wrong) => {
  expect(() => createQueueProducer({ url: wrong, prefix })).toThrow(
    `url must be a redis or rediss URL, such as redis://127.0.0.1:6379, but is ${JSON.stringify(wrong)}`,
  );
});

test('after close, send says that the producer is closed', async () => {
  const closed = createQueueProducer({ url, prefix });
  await closed.close();
  await expect(closed.send([unsubscribe(0)])).rejects.toThrow('The producer is closed');
});
