import { MAILHOOK_VERSION, campaignBatch, notification, receiverReport } from '@mailhook/core';
import type { Mechanism, ReceiverCheck, ReceiverReport } from '@mailhook/core';
import { createReceiverClient } from '@mailhook/delivery';
import type { ReceiverClient } from '@mailhook/delivery';
import { aCertificate, acknowledge, freePort, goodReply, startReceiver } from '@mailhook/testing';
import type { FakeReceiver, ReceivedRequest, ReplyAction } from '@mailhook/testing';
import { Webhook } from 'standardwebhooks';
import { createDoctor } from './doctor.ts';

const SECRET = `whsec_${Buffer.from('the secret of the account').toString('base64')}`;
const TIMEOUT_MS = 5000;
const HASTY_MS = 300;
const SECRET_TEXT = 'inner-secret-of-the-network';

describe('the doctor', () => {
  let receiver: FakeReceiver;
  const clients: ReceiverClient[] = [];

  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await receiver.close();
  });

  interface Visit {
    readonly address?: string;
    readonly kind?: Mechanism;
    readonly secrets?: readonly string[];
    readonly timeoutMs?: number;
    readonly allowPrivate?: boolean;
    readonly ca?: string;
  }
  const visit = (more: Visit = {}): Promise<ReceiverReport> => {
    const { address = receiver.url, kind = 'campaign', secrets = [], timeoutMs = TIMEOUT_MS } = more;
    const client = createReceiverClient({
      timeoutMs,
      replyCapBytes: 1_048_576,
      egress: { allowPrivate: more.allowPrivate ?? true, allowCidrs: [], deniedPorts: [] },
      version: MAILHOOK_VERSION,
      ...(more.ca === undefined ? {} : { ca: more.ca }),
    });
    clients.push(client);
    const doctor = createDoctor({ client, timeoutMs, newRunId: () => 'aB3_x-9Q' });
    return doctor({ address, kind, secrets });
  };
  const outcomes = ({ checks }: ReceiverReport) => Object.fromEntries(checks.map(({ id, outcome }) => [id, outcome]));
  const checkOf = ({ checks }: ReceiverReport, id: string): ReceiverCheck => checks.find((check) => check.id === id)!;
  /** Answers batches so, and everything else as a good receiver does. */
  const onBatch = (answer: (events: { hash: string }[], request: ReceivedRequest) => ReplyAction): void =>
    receiver.setReply((request) =>
      Array.isArray(request.json) ? answer(request.json as { hash: string }[], request) : goodReply(request),
    );

  describe('with a good receiver of batches', () => {
    test('passes everything', async () => {
      const report = await visit();
      expect(outcomes(report)).toEqual({
        reachable: 'passed',
        tls: 'skipped',
        'no-redirect': 'passed',
        access: 'passed',
        'connection-test': 'passed',
        status: 'passed',
        'content-type': 'passed',
        acknowledgement: 'passed',
        'thousand-events': 'passed',
        duplicates: 'passed',
        repeat: 'passed',
        'reply-time': 'passed',
        'keep-alive': 'passed',
        'wrong-signature': 'skipped',
      });
      expect(report).toMatchObject({ address: receiver.url, kind: 'campaign', passed: 12, failed: 0 });
    });

    test('sends only marked samples, as real deliveries look', async () => {
      await visit();
      const [test, ...batches] = receiver.requests;
      expect(test?.json).toEqual({ test: expect.any(String) as string });
      const events = batches.map(({ json }) => campaignBatch.parse(json));
      expect(events.map(({ length }) => length)).toEqual([1, 1000, 3, 1]);
      for (const event of events.flat()) {
        expect(event.hash).toMatch(/^sample-aB3_x-9Q-\d+$/);
        expect(event).toMatchObject({
          campaign: 'sample0000',
          email: expect.stringMatching(/@example\.com$/) as string,
        });
      }
      expect(new Set(events[1]?.map(({ hash }) => hash)).size).toBe(1000);
      expect(events[2]?.[2]).toEqual(events[2]?.[0]);
    });

    test('repeats a batch as a resend: the same but for its attempt', async () => {
      await visit();
      const [first, again] = [receiver.requests[1], receiver.requests[4]];
      expect(again?.text).toBe(first?.text.replace('"attempt":1', '"attempt":2'));
      expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
      expect([first?.headers['webhook-attempt'], again?.headers['webhook-attempt']]).toEqual(['1', '2']);
    });
  });

  test('a good receiver of notifications passes everything', async () => {
    receiver.setReply(() => ({ status: 204 }));
    const report = await visit({ kind: 'transactional' });
    expect(report.checks.filter(({ outcome }) => outcome !== 'passed').map(({ id }) => id)).toEqual([
      'tls',
      'wrong-signature',
    ]);
    const sent = receiver.requests.map(({ json }) => notification.parse(json));
    expect(sent.map(({ name }) => name)).toEqual(['open', 'click', 'bounce', 'click']);
    expect(sent.every(({ messageId }) => messageId.startsWith('sample-'))).toBe(true);
    const [, click, , repeat] = receiver.requests;
    expect(repeat?.text).toBe(click?.text);
    expect(repeat?.headers).toMatchObject({
      'webhook-id': click?.headers['webhook-id'],
      'webhook-attempt': '2',
    });
  });

  test.each<[string, (events: { hash: string }[]) => ReplyAction, string, RegExp, RegExp]>([
    ['202', () => ({ status: 202 }), 'status', /HTTP 202 instead of 200/, /exactly 200/],
    ['413', () => ({ status: 413 }), 'status', /HTTP 413/, /1 MiB/],
    ['401', () => ({ status: 401 }), 'status', /HTTP 401/, /without login/],
    ['500', () => ({ status: 500, body: SECRET_TEXT }), 'status', /HTTP 500/, /log/],
    ['an empty body', () => ({}), 'acknowledgement', /empty/, /one item for every event/],
    ['text', () => ({ body: `<h1>${SECRET_TEXT}</h1>` }), 'acknowledgement', /not JSON/, /no HTML/],
    ['a value', () => ({ json: true }), 'acknowledgement', /single JSON value/, /array/],
    [
      'an object instead of an array',
      ([event]) => ({ json: { hash: event!.hash, status: true } }),
      'acknowledgement',
      /one object instead of an array/,
      /into an array/,
    ],
    ["the test's answer", () => ({ json: { status: 'ok' } }), 'acknowledgement', /JSON object/, /connection test only/],
    ['an empty array', () => ({ json: [] }), 'acknowledgement', /empty/, /one item/],
    ['hashes alone', (all) => ({ json: all.map(({ hash }) => hash) }), 'acknowledgement', /texts/, /objects/],
    ['no hash', () => ({ json: [{ id: SECRET_TEXT, status: true }] }), 'acknowledgement', /no "hash"/, /hash/],
    ['a number as hash', () => ({ json: [{ hash: 7, status: true }] }), 'acknowledgement', /not a text/, /unchanged/],
    [
      'the text "true"',
      (all) => ({ json: all.map(({ hash }) => ({ hash, status: 'true' })) }),
      'acknowledgement',
      /"status" of sample-aB3_x-9Q-0 is a text/,
      /without quotation marks/,
    ],
    [
      'the number 1',
      (all) => ({ json: all.map(({ hash }) => ({ hash, status: 1 })) }),
      'acknowledgement',
      /not a boolean/,
      /only the boolean/,
    ],
    [
      'false',
      (all) => ({ json: all.map(({ hash }) => ({ hash, status: false })) }),
      'acknowledgement',
      /is false/,
      /true for every event/,
    ],
    [
      'no status',
      (all) => ({ json: all.map(({ hash }) => ({ hash })) }),
      'acknowledgement',
      /is missing/,
      /"status": true/,
    ],
    [
      'another hash',
      () => ({ json: [{ hash: SECRET_TEXT, status: true }] }),
      'acknowledgement',
      /1 of 1 events have no item in the acknowledgement: sample-aB3_x-9Q-0\./,
      /Confirm every event/,
    ],
  ])('a batch answered with %s', async (_name, answer, id, detail, mend) => {
    onBatch(answer);
    const report = await visit();
    const check = checkOf(report, id);
    expect([check.outcome, check.detail, check.mend]).toEqual([
      'failed',
      expect.stringMatching(detail),
      expect.stringMatching(mend),
    ]);
    // One cause is one failure; nothing more is sent, and the report says why.
    expect(report.failed).toBe(1);
    expect(receiver.requests).toHaveLength(2);
    expect(checkOf(report, 'thousand-events')).toMatchObject({
      outcome: 'skipped',
      detail: 'A batch of one event was not confirmed. Mend that first.',
    });
    expect(JSON.stringify(report)).not.toContain(SECRET_TEXT);
  });

  test.each<[string, ReplyAction, RegExp]>([
    ['404', { status: 404, body: SECRET_TEXT }, /HTTP 404/],
    ['nothing', {}, /is empty/],
    ['a page', { body: SECRET_TEXT }, /is no JSON/],
    ['an array', { json: [] }, /is a JSON array/],
    ['another status', { json: { status: SECRET_TEXT } }, /is a JSON object, and not \{"status": "ok"\}/],
  ])(
    'a connection test answered with %s does not keep the rest from being looked at',
    async (_name, action, detail) => {
      receiver.setReply((request) => (Array.isArray(request.json) ? acknowledge(request.json) : action));
      const report = await visit();
      expect(checkOf(report, 'connection-test')).toMatchObject({
        outcome: 'failed',
        detail: expect.stringMatching(detail) as string,
      });
      expect(report.failed).toBe(1);
      expect(JSON.stringify(report)).not.toContain(SECRET_TEXT);
    },
  );

  test('a receiver that forgets some of many', async () => {
    onBatch((events) => acknowledge(events.slice(0, 100)));
    const check = checkOf(await visit(), 'thousand-events');
    expect(check.outcome).toBe('failed');
    expect(check.detail).toMatch(/^900 of 1000 events have no item .*-1100, .*-1101, .*-1102 and 897 more\.$/);
  });

  test('a receiver that limits bodies', async () => {
    onBatch((events, { text }) => (text.length > 100_000 ? { status: 413 } : acknowledge(events)));
    expect(checkOf(await visit(), 'thousand-events')).toMatchObject({
      outcome: 'failed',
      mend: expect.stringContaining('1 MiB') as string,
    });
  });

  test('a receiver that fails on a hash it knows', async () => {
    const known = new Set<string>();
    onBatch((events) => {
      for (const { hash } of events) {
        if (known.has(hash)) return { status: 500 };
        known.add(hash);
      }
      return acknowledge(events);
    });
    const report = await visit();
    expect(checkOf(report, 'duplicates')).toMatchObject({
      outcome: 'failed',
      mend: expect.stringContaining('twice') as string,
    });
    expect(checkOf(report, 'repeat')).toMatchObject({
      outcome: 'failed',
      mend: expect.stringContaining('skip the work, not the acknowledgement') as string,
    });
    expect(report.failed).toBe(2);
  });

  test('hashes that were not sent, and no JSON type, are warned of', async () => {
    onBatch((events) => ({
      headers: { 'content-type': 'text/html' },
      body: JSON.stringify([...events, { hash: 'of-another-batch' }].map(({ hash }) => ({ hash, status: true }))),
    }));
    const report = await visit();
    expect(outcomes(report)).toMatchObject({ acknowledgement: 'warning', 'content-type': 'warning' });
    expect(report.failed).toBe(0);
  });

  test('a receiver that closes every connection', async () => {
    receiver.setReply((request) => ({ ...goodReply(request), headers: { connection: 'close' } }));
    expect(outcomes(await visit())).toMatchObject({ 'keep-alive': 'warning' });
    expect(receiver.connections.total).toBe(5);
  });

  describe('time', () => {
    test('a receiver that never answers is asked once', async () => {
      receiver.setReply(() => ({ hang: 'reply' }));
      const report = await visit({ timeoutMs: HASTY_MS });
      expect(outcomes(report)).toMatchObject({ reachable: 'failed', 'connection-test': 'skipped', status: 'skipped' });
      expect(report.failed).toBe(1);
      expect(receiver.requests).toHaveLength(1);
    });

    test('one that is late with many events only', async () => {
      onBatch((events) => (events.length > 100 ? { hang: 'reply' } : acknowledge(events)));
      const report = await visit({ timeoutMs: HASTY_MS });
      expect(outcomes(report)).toMatchObject({ 'thousand-events': 'failed', 'reply-time': 'failed', repeat: 'passed' });
      expect(checkOf(report, 'thousand-events').mend).toContain('answer at once');
    });

    test('one that needs more than half of the time', async () => {
      receiver.setReply((request) => ({ ...goodReply(request), delayMs: receiver.requests.length === 1 ? 600 : 0 }));
      expect(outcomes(await visit({ timeoutMs: 1000, kind: 'transactional' }))).toMatchObject({
        'reply-time': 'warning',
      });
    });
  });

  describe('ways there', () => {
    test('a redirect ends it', async () => {
      receiver.setReply(() => ({ redirect: `http://127.0.0.1:1/${SECRET_TEXT}` }));
      const report = await visit();
      expect(checkOf(report, 'no-redirect')).toMatchObject({
        outcome: 'failed',
        mend: expect.stringContaining('final address') as string,
      });
      expect(checkOf(report, 'status')).toMatchObject({ outcome: 'skipped', detail: 'The address redirects.' });
      expect(receiver.requests).toHaveLength(1);
      expect(JSON.stringify(report)).not.toContain(SECRET_TEXT);
    });

    test('one that lets nobody in who is not signed in', async () => {
      receiver.setReply(() => ({ status: 403 }));
      const report = await visit();
      expect(checkOf(report, 'access')).toMatchObject({
        outcome: 'failed',
        detail: 'The receiver answered HTTP 403 instead of 2xx.',
        mend: expect.stringContaining('create a signing secret') as string,
      });
      expect([report.failed, receiver.requests.length]).toEqual([1, 1]);
    });

    test('a closed port', async () => {
      const report = await visit({ address: `http://127.0.0.1:${await freePort()}/` });
      expect(checkOf(report, 'reachable')).toMatchObject({
        outcome: 'failed',
        detail: 'The receiver could not be reached: connection refused.',
      });
      expect(report).toMatchObject({ passed: 0, failed: 1 });
    });

    test('a blocked address gets nothing', async () => {
      const report = await visit({ allowPrivate: false });
      expect(checkOf(report, 'reachable')).toMatchObject({
        outcome: 'failed',
        detail: expect.stringContaining('blocked') as string,
      });
      expect(receiver.connections.total).toBe(0);
    });

    test.each([
      ['a trusted certificate', true, 'passed'],
      ['a self-signed certificate', false, 'failed'],
    ])('%s', async (_name, isTrusted, outcome) => {
      const tls = aCertificate({ name: 'localhost' });
      const secure = await startReceiver({ tls });
      const report = await visit({
        address: `https://localhost:${secure.port}/`,
        ...(isTrusted ? { ca: tls.cert } : {}),
      });
      expect(outcomes(report)).toMatchObject({ reachable: 'passed', tls: outcome });
      await secure.close();
    });

    test('no reply that is HTTP', async () => {
      receiver.setReply(() => ({ rawBytes: `${SECRET_TEXT}\r\n\r\n` }));
      const report = await visit();
      expect(outcomes(report)).toMatchObject({ reachable: 'passed', 'connection-test': 'failed', status: 'failed' });
      expect(JSON.stringify(report)).not.toContain(SECRET_TEXT);
    });
  });

  test.each<[string, ReplyAction]>([
    ['drips', { body: SECRET_TEXT.repeat(10), dripMs: 20 }],
    ['hangs in the body', { hang: 'body' }],
    ['resets', { reset: 'reply' }],
    ['resets in the body', { reset: 'body' }],
    ['floods', { fillBytes: 5_000_000 }],
    ['sends a compressed flood', { gzipBombBytes: 5_000_000 }],
    ['sends headers without end', { endlessHeaders: true }],
    ['sends no HTTP', { rawBytes: SECRET_TEXT }],
    ['says little', { status: 204 }],
    ['says much in its headers', { statusText: SECRET_TEXT, headers: { 'content-type': SECRET_TEXT } }],
  ])('is never hurt by a receiver that %s', async (_name, action) => {
    receiver.setReply(() => action);
    for (const kind of ['campaign', 'transactional'] as const) {
      const report = await visit({ kind, timeoutMs: HASTY_MS, secrets: [SECRET] });
      expect(receiverReport.parse(report)).toEqual(report);
      expect(report.failed).toBe(report.checks.filter(({ outcome }) => outcome === 'failed').length);
      if (kind === 'campaign') expect(report.failed).toBeGreaterThan(0);
      expect(JSON.stringify(report)).not.toContain(SECRET_TEXT);
    }
  });

  describe.each(['campaign', 'transactional'] as const)('signatures of a %s receiver', (kind) => {
    const isRight = ({ text, headers }: ReceivedRequest): boolean => {
      try {
        new Webhook(SECRET).verify(text, headers as Record<string, string>);
        return true;
      } catch {
        return false;
      }
    };
    test('one that verifies passes', async () => {
      receiver.setReply((request) => (isRight(request) ? goodReply(request) : { status: 401 }));
      const report = await visit({ kind, secrets: [SECRET] });
      expect(outcomes(report)).toMatchObject({ access: 'passed', 'wrong-signature': 'passed' });
      expect(report.failed).toBe(0);
    });

    test('one that takes everything is warned of', async () => {
      const report = await visit({ kind, secrets: [SECRET] });
      expect(outcomes(report)).toMatchObject({ access: 'passed', 'wrong-signature': 'warning' });
    });

    test('one with another secret fails', async () => {
      receiver.setReply((request) => (isRight(request) ? goodReply(request) : { status: 401 }));
      const report = await visit({ kind, secrets: [`whsec_${Buffer.from('older').toString('base64')}`] });
      expect(checkOf(report, 'access')).toMatchObject({
        outcome: 'failed',
        mend: expect.stringContaining('the same signing secret') as string,
      });
      expect(report.failed).toBe(1);
    });
  });
});
