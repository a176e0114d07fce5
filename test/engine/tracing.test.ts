import type { Destination, Mechanism, ProducerEvent } from '@mailhook/core';
import { version1Route } from '@mailhook/core';
import { createEventFinder } from '@mailhook/insight';
import { createLogger } from '@mailhook/platform/logger';
import { openTracing } from '@mailhook/platform/tracing';
import type { CollectedSpan, FakeCollector, FakeReceiver, ReceivedRequest, Reply } from '@mailhook/testing';
import {
  aCampaignEvent,
  acknowledge,
  anOpen,
  eventually,
  startCollector,
  startReceiver,
  uniqueName,
} from '@mailhook/testing';
import type { Rig, RigOptions } from './rig.ts';
import { startRig } from './rig.ts';

const TRACES = ['a', 'b', 'c', 'd'].map((digit) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`);
const [A = '', B = ''] = TRACES;
const traceId = (context: string): string => context.slice(3, 35);
const spanId = (context: string): string => context.slice(36, 52);
const HOUR_MS = 3_600_000;

const emails = ({ json }: ReceivedRequest): string[] => (json as { email: string }[]).map(({ email }) => email);
const event = (name: string) => aCampaignEvent({ email: `${name}@example.com`, hash: `hash-of-${name}` });
const linked = ({ links }: CollectedSpan): string[] => links.map((link) => link.traceId).sort();
const byAttempt = (a: CollectedSpan, b: CollectedSpan): number =>
  Number(a.attributes['mailhook.attempt']) - Number(b.attributes['mailhook.attempt']);

describe('attempts as spans', () => {
  let collector: FakeCollector;
  let receiver: FakeReceiver;
  let rig: Rig;
  let destination: Destination;
  let flush: () => Promise<void>;

  beforeEach(async () => {
    collector = await startCollector();
    receiver = await startReceiver({ reply: (request) => acknowledge(request.json) });
  });
  afterEach(() => Promise.all([collector.close(), receiver.close()]));

  async function open(kind: Mechanism, more: Partial<RigOptions> = {}): Promise<void> {
    const logger = createLogger({ level: 'error', service: 'rig' });
    const tracing = await openTracing({
      endpoint: collector.url,
      disabled: 'false',
      service: 'worker',
      version: 'test',
      sampled: 'all',
      logger,
    });
    rig = await startRig({ kind, ...(tracing === undefined ? {} : { tracing }), ...more });
    destination = await rig.destination(uniqueName('account'), `${receiver.url}/secret/path?key=1`);
    flush = async () => {
      await rig.close();
      await tracing?.close();
    };
  }

  const publish = (trace: string | undefined, ...events: ProducerEvent[]): Promise<void> =>
    rig.publisher.publish(
      events.map((one) => ({
        event: { ...one, account: destination.account },
        destinations: [destination.id].map(version1Route),
      })),
      undefined,
      trace,
    );

  /** Holds the receiver's replies while `gather` fills the mailbox, so that the next batch has this many entries. */
  async function gathered(reply: Reply, entries: number, gather: () => Promise<unknown>): Promise<void> {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    receiver.setReply(async (request) => {
      await gate;
      return reply(request);
    });
    await open('campaign', { timeoutMs: 10_000 });
    await rig.startWorker();
    await publish(undefined, event('before'));
    await receiver.waitForRequests(1);
    await gather();
    await eventually(async () => (await rig.redis.llen(`${rig.base}f:${destination.id}`)) === entries, {
      what: 'an entry for each trace',
    });
    release();
  }

  const untilDelivered = (): Promise<unknown> =>
    eventually(async () => (await rig.countUndelivered()) === 0, { what: 'nothing undelivered' });

  test('the attempts of a notification belong to the trace of its event', async () => {
    receiver.setReply(({ headers }) => ({ status: headers['webhook-attempt'] === '1' ? 503 : 204 }));
    await open('transactional');
    await rig.startWorker();
    await publish(A, anOpen({ ip: '203.0.113.9' }));
    await receiver.waitForRequests(2);
    await untilDelivered();
    await flush();

    const spans = [...collector.spans].sort(byAttempt);
    expect(spans).toHaveLength(2);
    for (const span of spans) {
      expect(span).toMatchObject({
        service: 'worker',
        name: 'deliver notification',
        kind: 'client',
        traceId: traceId(A),
        parentSpanId: spanId(A),
        links: [],
      });
      expect(span.endedAtMs).toBeGreaterThan(span.startedAtMs);
    }
    expect(spans.map(({ error }) => error)).toEqual(['the receiver answered HTTP 503 Service Unavailable', undefined]);
    expect(spans[0]?.attributes).toEqual({
      'mailhook.mechanism': 'transactional',
      'mailhook.shape': 'single',
      'mailhook.account': destination.account,
      'mailhook.destination': destination.id,
      'mailhook.webhook_id': receiver.requests[0]?.headers['webhook-id'],
      'mailhook.attempt': 1,
      'mailhook.events': 1,
      'mailhook.outcome': 'rejected',
      'http.request.method': 'POST',
      'http.response.status_code': 503,
      'server.address': '127.0.0.1',
    });
    // The receiver gets no trace headers, and the collector gets no secret of the receiver's address.
    expect(receiver.requests.filter(({ headers }) => 'traceparent' in headers)).toEqual([]);
    expect(collector.receiver.requests.map(({ text }) => text).join()).not.toMatch(/secret|203\.0\.113|mailto|@/);
  });

  test('the attempts of a batch and of its resends are linked to the traces of their events', async () => {
    const reply: Reply = (request) => {
      const attempt = request.headers['webhook-attempt'];
      if (emails(request).length === 3 && attempt === '1') return { status: 503 };
      return acknowledge(request.json, (_event, i) => i > 0 || attempt !== '2');
    };
    await gathered(reply, 2, () =>
      Promise.all([publish(A, event('first'), event('second')), publish(B, event('third'))]),
    );
    await receiver.waitForRequests(4);
    await untilDelivered();
    await flush();

    expect(receiver.requests.map(emails)).toEqual([
      ['before@example.com'],
      ...[1, 2].map(() => ['first@example.com', 'second@example.com', 'third@example.com']),
      ['first@example.com'],
    ]);
    const spans = [...collector.spans].sort(byAttempt);
    expect(spans.map(({ name, error }) => ({ name, error }))).toEqual([
      { name: 'deliver batch', error: 'the receiver answered HTTP 503 Service Unavailable' },
      {
        name: 'deliver batch',
        error: expect.stringMatching(/^the acknowledgement leaves 1 of 3 events unconfirmed: .*is false/) as string,
      },
      { name: 'deliver batch', error: undefined },
    ]);
    for (const span of spans) {
      expect(span.parentSpanId).toBe('');
      expect(linked(span)).toEqual([traceId(A), traceId(B)]);
    }
    expect(new Set(spans.map((span) => span.traceId)).size).toBe(3);
  });

  test('both parts of a cut entry keep its trace, and no receiver gets the trace mark', async () => {
    await open('campaign', { limits: { batchMax: 2 } });
    const names = ['one', 'two', 'three', 'four', 'five'];
    await publish(A, ...names.map(event));
    await rig.startWorker();
    await receiver.waitForRequests(3);
    await untilDelivered();
    await flush();
    expect(receiver.requests.flatMap(emails)).toEqual(names.map((name) => `${name}@example.com`));
    expect(collector.spans.map(linked)).toEqual([[traceId(A)], [traceId(A)], [traceId(A)]]);
  });

  test('a batch with 200 traces is linked to 128 of them, its resend to 32', async () => {
    const reply: Reply = ({ headers, json }) =>
      headers['webhook-attempt'] === '1' ? { status: 503 } : acknowledge(json);
    const context = (i: number): string => `00-${String(i).padStart(32, '0')}-00000000000000aa-01`;
    await gathered(reply, 200, () =>
      Promise.all(Array.from({ length: 200 }, (_, i) => publish(context(i + 1), event(`e${i}`)))),
    );
    await receiver.waitForRequests(4);
    await untilDelivered();
    await flush();
    const links = [...collector.spans].sort(byAttempt).map((span) => new Set(linked(span)).size);
    expect(links).toEqual([128, 32]);
  });

  test.each([
    ['given up with their destination', [HOUR_MS]],
    ['out of attempts', []],
  ])('dead letters keep the trace: a tried one, %s, and an untried one', async (_why, scheduleMs) => {
    receiver.setReply(() => ({ status: 500 }));
    await open('campaign', { scheduleMs, breakerFailures: 1, parkMaxMs: HOUR_MS });
    await rig.startWorker();
    await publish(A, event('tried'));
    await eventually(async () => (await rig.redis.zcard(`${rig.base}parked`)) === 1, { what: 'a parked destination' });
    await publish(B, event('untried'));
    const finder = createEventFinder(rig.installation, rig.attemptLog);
    const search = () => finder.find(destination.account, { hash: 'hash-of-untried' }, [destination]);
    const found = await eventually(async () => (await search()).items[0], { what: 'the event in its mailbox' });
    expect(found).toMatchObject({ state: 'waiting' });

    await rig.registry.save({ ...destination, active: false, version: 2 });
    const letters = () => rig.deadLetters.list({ account: destination.account }, { limit: 5 });
    await eventually(async () => (await letters()).items.length === 2, { what: 'two dead letters' });
    receiver.setReply((request) => acknowledge(request.json));
    await rig.registry.save({ ...destination, active: true, version: 3 });
    expect(await rig.deadLetters.redrive({ account: destination.account })).toMatchObject({ redriven: 2 });
    await receiver.waitForRequests(3);
    await untilDelivered();
    await flush();
    expect(collector.spans.map((span) => [span.attributes['mailhook.outcome'], ...linked(span)]).sort()).toEqual([
      ['delivered', traceId(A)],
      ['delivered', traceId(B)],
      ['rejected', traceId(A)],
    ]);
  });

  test('events without a context get no span, and events with one also arrive without tracing', async () => {
    await open('campaign');
    await rig.startWorker();
    await publish(undefined, event('plain'));
    await receiver.waitForRequests(1);
    await untilDelivered();
    await flush();
    expect(collector.spans).toEqual([]);

    rig = await startRig({ kind: 'campaign' });
    destination = await rig.destination(uniqueName('account'), receiver.url);
    await rig.startWorker();
    await publish(A, event('marked'));
    await receiver.waitForRequests(2);
    await untilDelivered();
    await rig.close();
    expect(receiver.requests.flatMap(emails)).toEqual(['plain@example.com', 'marked@example.com']);
  });
});
