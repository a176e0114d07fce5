import { createHash } from 'node:crypto';
import {
  compileFilter,
  EMAIL_EVENTS_QUEUE,
  fullExample,
  objectOf,
  typeOfEvent,
  typesIn,
  typesOf,
  validateEvent,
  version2Fragment,
} from '@mailhook/core';
import type { DestinationInput, EventModule, ProducerEvent } from '@mailhook/core';
import type { FakeReceiver } from '@mailhook/testing';
import { eventually, goodReply, startReceiver, startRedis, uniqueName } from '@mailhook/testing';
import { Queue } from 'bullmq';
import fc from 'fast-check';
import { callJson, composeServices } from './rig/composed-services.ts';

const ADMIN_TOKEN = 'admin-token-of-the-tests';
const PRODUCER_TOKEN = 'producer-token-of-the-tests';

type Settings = Omit<DestinationInput, 'address'>;
const MODULES = ['transactional_email', 'campaign'] as const;

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');
const bodyOf = (event: ProducerEvent): string => objectOf(version2Fragment(event, digest));

const word = fc.constantFrom('a', 'b', 'c');
const words = fc.uniqueArray(word, { minLength: 1 });
const anyFilter = fc.record(
  {
    tags: words,
    domains: fc.uniqueArray(fc.constantFrom('a.example', '.a.example', '.b.a.example'), { minLength: 1 }),
    metadata: fc.dictionary(word, word, { minKeys: 1 }),
    bounce: fc.constantFrom('hard' as const, 'soft' as const),
    machine: fc.constantFrom('never' as const, 'only' as const),
    first: fc.constant(true as const),
    labels: words,
  },
  { requiredKeys: [] },
);

const anySettings = (module: EventModule): fc.Arbitrary<Settings> =>
  fc.record({
    module: fc.constant(module),
    types: fc.oneof(
      fc.constant<Settings['types']>(['*']),
      fc.uniqueArray(fc.constantFrom<Settings['types'][number]>(...typesOf(module)), { minLength: 2, maxLength: 6 }),
    ),
    shape: fc.constantFrom('single' as const, 'array' as const, 'batch' as const),
    filter: fc.oneof(fc.constant(null), anyFilter),
    maxEvents: fc.constantFrom(1, 7, 1000),
  });

const anyEvent = fc
  .record({
    module: fc.constantFrom(...MODULES),
    type: fc.nat(),
    email: fc.constantFrom('x@a.example', 'x@B.A.example', 'x@c.example', 'none'),
    tags: fc.array(word, { maxLength: 2 }),
    metadata: fc.dictionary(word, word),
    flags: fc.record({ machine: fc.boolean(), first: fc.boolean() }, { requiredKeys: [] }),
    label: word,
    bounce: fc.constantFrom('hard', 'soft'),
    hasId: fc.boolean(),
  })
  .map(({ module, type, email, tags, metadata, flags, label, bounce, hasId }) => {
    const name = typesOf(module)[type % typesOf(module).length] ?? 'open';
    const isTracked = name === 'open' || name === 'click';
    const own = {
      ...(isTracked ? flags : {}),
      ...(name === 'custom' ? { label } : {}),
      ...(name === 'bounce' ? { type: bounce } : {}),
      ...(hasId ? { id: uniqueName('id') } : {}),
    };
    const { machine: _machine, first: _first, ...example } = fullExample(module, name) as Record<string, unknown>;
    return { ...example, ...own, email, tags, metadata, messageId: uniqueName('message') };
  });

const EVENTS = 300;
const DESTINATIONS = 16;

test('each destination gets the events that the pure rules choose, in its shape, from both intakes', async () => {
  const [redis, receiver] = await Promise.all([startRedis({ appendonly: true }), startReceiver({ reply: goodReply })]);
  const prefix = uniqueName('filters');
  const services = await composeServices({
    redisUrl: redis.url,
    adminToken: ADMIN_TOKEN,
    producerToken: PRODUCER_TOKEN,
    env: { QUEUE_PREFIX: prefix, ALLOW_PRIVATE_DESTINATIONS: 'true' },
  });
  const { hostname: host, port } = new URL(redis.url);
  const queue = new Queue(EMAIL_EVENTS_QUEUE, { connection: { host, port: Number(port) }, prefix });
  try {
    const admin = (path: string, body: object) =>
      callJson(`${services.opsUrls[0] ?? ''}/admin${path}`, ADMIN_TOKEN, 'POST', body);
    const { id: account } = (await admin('/accounts', { name: 'x' })) as { id: string };
    const { token } = (await admin(`/accounts/${account}/tokens`, {})) as { token: string };
    const seed = Number(process.env['SEED'] ?? Date.now());
    const sample = <Value>(of: fc.Arbitrary<Value>, numRuns: number) => fc.sample(of, { seed, numRuns });
    const settings = MODULES.flatMap((module) => sample(anySettings(module), DESTINATIONS / 2));
    for (const [i, one] of settings.entries())
      await callJson(`${services.baseUrl}/v3/webhook/destinations`, token, 'POST', {
        ...one,
        address: `${receiver.url}/${i}`,
      });
    const events = sample(anyEvent, EVENTS).map((event): Record<string, unknown> => ({ ...event, account }));
    const half = events.length / 2;
    await callJson(`${services.baseUrl}/v3/events`, PRODUCER_TOKEN, 'POST', events.slice(0, half));
    await queue.add('events', { events: events.slice(half) });
    const accepted = events.map(acceptedOf);
    const wanted = settings.map((one) =>
      accepted
        .filter((event) => gets(one, event))
        .map(bodyOf)
        .sort(),
    );
    const all = wanted.flat().length;
    expect([seed, all]).not.toEqual([seed, 0]);
    const arrived = () => settings.map((one, i) => bodiesAt(receiver, i, one.shape ?? 'single'));
    await eventually(() => arrived().flat().length >= all, { withinMs: 20_000, what: `${all} events (SEED=${seed})` });
    expect({ seed, bodies: arrived() }).toEqual({ seed, bodies: wanted });
    for (const [i, { maxEvents = 1000 }] of settings.entries())
      for (const { json } of requestsAt(receiver, i))
        expect(Array.isArray(json) ? json.length : 1).toBeLessThanOrEqual(maxEvents);
  } finally {
    await queue.close();
    await services.close();
    await receiver.close();
    await redis.stop();
  }
}, 60_000);

function acceptedOf(event: object): ProducerEvent {
  const result = validateEvent(event);
  if ('errors' in result) throw new Error(JSON.stringify([event, result.errors]));
  return result.value;
}

const gets = ({ module, types, filter }: Settings, event: ProducerEvent): boolean =>
  event.module === module &&
  typesIn(module, types).some((type) => type === typeOfEvent(event)) &&
  (filter === null || filter === undefined || compileFilter(filter)(event));

const requestsAt = ({ requests }: FakeReceiver, i: number) => requests.filter(({ path }) => path === `/${i}`);

/** The events as they would be alone. */
const bodiesAt = (receiver: FakeReceiver, i: number, shape: string): string[] =>
  requestsAt(receiver, i)
    .flatMap(({ text, json }) => (shape === 'single' ? [text] : (json as object[]).map(withoutBatch)))
    .sort();

function withoutBatch(event: object): string {
  const { hash: _hash, attempt: _attempt, ...rest } = event as Record<string, unknown>;
  return JSON.stringify(rest);
}
