import { PassThrough } from 'node:stream';
import { EMAIL_EVENTS_QUEUE } from '@mailhook/core';
import type { CollectedSpan, FakeCollector, FakeReceiver } from '@mailhook/testing';
import { aCampaignEvent, acknowledge, anOpen, startCollector, startReceiver, startRedis } from '@mailhook/testing';
import { uniqueName } from '@mailhook/testing';
import { Queue } from 'bullmq';
import { callJson, composeServices } from './rig/composed-services.ts';

const ADMIN_TOKEN = 'admin-token-of-the-tests';
const PRODUCER_TOKEN = 'producer-token-of-the-tests';
const REQUEST_ID = 'request-of-the-test';

const contextOf = (digit: string, flags = '01'): string => `00-${digit.repeat(32)}-${digit.repeat(16)}-${flags}`;

/** Separate traces for the parts of the test. */
const HTTP = contextOf('a');
const REDIS_FED = contextOf('b');
const UNWANTED = contextOf('c', '00');
const STRANGER = contextOf('d', '01');

const isRefused = (attributes: CollectedSpan['attributes']): boolean => attributes['http.response.status_code'] === 401;

const subject = (name: string): string => `<${name}@sender.example>`;

/** Starts the three services and a customer of both mechanisms. The customer's receiver fails every first attempt. */
async function startScene(collector: FakeCollector, receiver: FakeReceiver) {
  const redis = await startRedis({ appendonly: true });
  const prefix = uniqueName('traced');
  const log = new PassThrough();
  const lines: Record<string, unknown>[] = [];
  log.on('data', (data: Buffer) => {
    for (const line of data.toString().split('\n').filter(Boolean)) lines.push(JSON.parse(line) as (typeof lines)[0]);
  });
  const services = await composeServices({
    redisUrl: redis.url,
    adminToken: ADMIN_TOKEN,
    producerToken: PRODUCER_TOKEN,
    log,
    env: {
      QUEUE_PREFIX: prefix,
      ALLOW_PRIVATE_DESTINATIONS: 'true',
      RETRY_SCHEDULE: '10ms',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    },
  });
  const admin = (path: string, body: unknown) =>
    callJson(`${services.opsUrls[0] ?? ''}/admin${path}`, ADMIN_TOKEN, 'POST', body);
  const { id: account } = (await admin('/accounts', { name: 'traced' })) as { id: string };
  const { token } = (await admin(`/accounts/${account}/tokens`, {})) as { token: string };
  const call = (method: string, path: string, body: unknown) =>
    callJson(`${services.baseUrl}${path}`, token, method, body);
  const address = `${receiver.url}/hook`;
  const subscription = { address, type: 'open', module: 'transactional_email' };
  const { id } = (await call('POST', '/v3/webhook/subscriptions', subscription)) as { id: string };
  await call('PUT', '/v3/webhook/campaign', { address, active: true });
  return {
    account,
    baseUrl: services.baseUrl,
    subscription: id,
    lines,
    get: (path: string, headers: Record<string, string> = {}) =>
      fetch(`${services.baseUrl}${path}`, { headers: { authorization: `Bearer ${token}`, ...headers } }),
    send: (traceparent: string, events: readonly object[]) =>
      fetch(`${services.baseUrl}/v3/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${PRODUCER_TOKEN}`, 'content-type': 'application/json', traceparent },
        body: JSON.stringify(events.map((event) => ({ ...event, account }))),
      }),
    async feedRedis(traceparent: string, event: object) {
      const { hostname: host, port } = new URL(redis.url);
      const queue = new Queue(EMAIL_EVENTS_QUEUE, { connection: { host, port: Number(port) }, prefix });
      await queue.add('events', { events: [{ ...event, account }], traceparent });
      await queue.close();
    },
    /** Stops the services, so that they export every span. */
    async close() {
      await services.close();
      await redis.stop();
    },
  };
}

describe('tracing of an event through all services', () => {
  let collector: FakeCollector;
  let receiver: FakeReceiver;
  let scene: Awaited<ReturnType<typeof startScene>>;

  beforeAll(async () => {
    collector = await startCollector();
    receiver = await startReceiver({
      reply: ({ json, headers }) => {
        if (headers['webhook-attempt'] === '1') return { status: 500 };
        return Array.isArray(json) ? acknowledge(json) : { status: 204 };
      },
    });
    scene = await startScene(collector, receiver);
    await scene.send(HTTP, [anOpen({ messageId: subject('http') }), aCampaignEvent({ email: 'anna@example.com' })]);
    await receiver.waitForRequests(4);
    await scene.feedRedis(REDIS_FED, anOpen({ messageId: subject('redis') }));
    await receiver.waitForRequests(6);
    await scene.send(UNWANTED, [anOpen({ messageId: subject('unwanted') })]);
    await receiver.waitForRequests(8);
    await scene.send('garbage', [anOpen({ messageId: subject('garbage') })]);
    await receiver.waitForRequests(10);
    await scene.get(`/v3/webhook/subscriptions/${scene.subscription}`, { 'x-request-id': REQUEST_ID });
    await scene.get('/nothing/here', { traceparent: STRANGER });
    await fetch(`${scene.baseUrl}/v3/events`, { method: 'POST', headers: { traceparent: STRANGER } });
    await scene.close();
  }, 60_000);
  afterAll(() => Promise.all([collector.close(), receiver.close()]));

  const ofTrace = (context: string): CollectedSpan[] =>
    collector.spans.filter(({ traceId }) => traceId === context.slice(3, 35));
  const only = (spans: readonly CollectedSpan[], name: string): CollectedSpan => {
    const [span, ...more] = spans.filter((one) => one.name === name);
    if (span === undefined || more.length > 0) throw new Error(`${more.length + 1} spans ${name}, or none`);
    return span;
  };
  const attemptsIn = (spans: readonly CollectedSpan[]): CollectedSpan[] =>
    spans
      .filter(({ name }) => name.startsWith('deliver'))
      .sort((a, b) => Number(a.attributes['mailhook.attempt']) - Number(b.attributes['mailhook.attempt']));

  test('one trace holds the producer, its request, the publish step, and both attempts at the notification', () => {
    const spans = ofTrace(HTTP);
    const request = only(spans, 'POST /v3/events');
    expect(request).toMatchObject({ service: 'mailhook-api', kind: 'server', parentSpanId: HTTP.slice(36, 52) });
    expect(request.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/v3/events',
      'http.response.status_code': 202,
      // Only Express sets this attribute, and Express serves a producer's first request.
      'mailhook.request_id': expect.any(String) as string,
    });
    const publish = only(spans, 'publish');
    expect(publish).toMatchObject({ kind: 'producer', parentSpanId: request.spanId });
    expect(publish.attributes['mailhook.events']).toBe(2);
    const attempts = attemptsIn(spans);
    expect(attempts.map(({ name, attributes }) => [name, attributes['http.response.status_code']])).toEqual([
      ['deliver notification', 500],
      ['deliver notification', 204],
    ]);
    for (const attempt of attempts) {
      expect(attempt).toMatchObject({ service: 'mailhook-transactional-notifier', parentSpanId: publish.spanId });
      expect(attempt.attributes['mailhook.destination']).toBe(scene.subscription);
    }
    expect(spans).toHaveLength(4);
  });

  test('each attempt at a batch begins a trace that links to the publish step', () => {
    const publish = only(ofTrace(HTTP), 'publish');
    const batches = attemptsIn(collector.spans.filter(({ service }) => service === 'mailhook-campaign-batcher'));
    expect(batches.map(({ attributes }) => attributes['mailhook.outcome'])).toEqual(['rejected', 'delivered']);
    for (const batch of batches) {
      expect(batch).toMatchObject({ name: 'deliver batch', parentSpanId: '' });
      expect(batch.links).toEqual([{ traceId: publish.traceId, spanId: publish.spanId }]);
    }
  });

  test('Redis-fed events continue the trace of their producer', () => {
    const spans = ofTrace(REDIS_FED);
    const job = only(spans, 'process email-events');
    expect(job).toMatchObject({ kind: 'consumer', parentSpanId: REDIS_FED.slice(36, 52) });
    expect(only(spans, 'publish').parentSpanId).toBe(job.spanId);
    expect(attemptsIn(spans)).toHaveLength(2);
  });

  test('an unsampled trace has no spans, and an invalid trace context begins a new trace', () => {
    expect(ofTrace(UNWANTED)).toEqual([]);
    const roots = collector.spans.filter(
      ({ name, parentSpanId, attributes }) =>
        name === 'POST /v3/events' && parentSpanId === '' && !isRefused(attributes),
    );
    expect(roots).toHaveLength(1);
    expect(attemptsIn(ofTrace(`00-${roots[0]?.traceId ?? ''}`))).toHaveLength(2);
    expect(receiver.requests.filter(({ text }) => text.includes(subject('unwanted')))).toHaveLength(2);
  });

  test('a client that sends no valid producer token decides neither trace nor sampling', () => {
    expect(ofTrace(STRANGER)).toEqual([]);
    const refused = collector.spans.filter(({ attributes }) => isRefused(attributes));
    expect(refused).toMatchObject([{ name: 'POST /v3/events', parentSpanId: '' }]);
  });

  test('the span of a request has the name of its route, and the id of its log lines as an attribute', () => {
    const read = only(collector.spans, 'GET /v3/webhook/subscriptions/:id');
    expect(read.attributes).toMatchObject({ 'http.response.status_code': 200, 'mailhook.request_id': REQUEST_ID });
    expect(only(collector.spans, 'GET').attributes).toMatchObject({ 'http.response.status_code': 404 });
    expect(only(collector.spans, 'GET').error).toBeUndefined();
  });

  test('log lines of requests and attempts include the trace id', () => {
    const tracesOf = (message: string) =>
      new Set(scene.lines.filter((line) => line['message'] === message).map((line) => line['traceId']));
    expect(tracesOf('request')).toContain(HTTP.slice(3, 35));
    expect(tracesOf('delivery attempt')).toContain(HTTP.slice(3, 35));
    const batch = collector.spans.find(({ name }) => name === 'deliver batch');
    expect(tracesOf('delivery attempt')).toContain(batch?.traceId);
  });

  test('spans have no recipients, message ids or addresses beyond the host, and receivers get no trace headers', () => {
    const told = collector.spans.map(({ name, attributes, error }) => JSON.stringify({ name, attributes, error }));
    expect(told.join('\n')).not.toMatch(/anna|@|%40|192\.0\.2|sender\.example|\/hook/);
    expect(receiver.requests.filter(({ headers }) => 'traceparent' in headers || 'tracestate' in headers)).toEqual([]);
  });
});
