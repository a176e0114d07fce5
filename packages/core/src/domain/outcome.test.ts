import { coded } from './coded-text.ts';
import fc from 'fast-check';
import { batchOutcome, localFaultCauses, localFaultReason, notificationOutcome } from './outcome.ts';
import type { ReceiverExchange, Outcome } from './outcome.ts';
import { connectionTestFault } from './connection-test.ts';

const reply = (
  status: number,
  statusText = '',
  more: { retryAfter?: string; body?: string } = {},
): ReceiverExchange => ({
  type: 'reply',
  status,
  statusText,
  retryAfter: more.retryAfter,
  body: more.body,
});
const acknowledging = (items: unknown, status = 200): ReceiverExchange =>
  reply(status, 'OK', { body: JSON.stringify(items) });

const other = (text: string) => coded('other', { text });
const TRANSPORT_FAILURES: [ReceiverExchange & { type: Outcome['name'] }, string][] = [
  [{ type: 'timeout' }, 'the receiver did not answer in time'],
  [{ type: 'unreachable', detail: coded('refused') }, 'the receiver could not be reached: connection refused'],
  [{ type: 'invalid-reply', detail: other('no HTTP') }, 'the reply could not be read: no HTTP'],
  [{ type: 'blocked', detail: other('10.0.0.1 is private') }, 'blocked: 10.0.0.1 is private'],
  [
    { type: 'cut' },
    'Mailhook ended the request early, because many receivers did not answer; the attempt does not count',
  ],
];

/** The outcome of a request that failed as a whole. */
const whole = (name: Outcome['name'], error: string, httpStatus?: number, retryAfter?: string) => ({
  name,
  httpStatus,
  error,
  unconfirmed: 'all',
  retryAfter,
});
const DELIVERED = { name: 'delivered', error: undefined, unconfirmed: [], retryAfter: undefined };

describe('notificationOutcome', () => {
  it.each(Array.from({ length: 500 }, (_, i) => 100 + i))('status %d', (status) => {
    const outcome = notificationOutcome(reply(status));
    if (status >= 200 && status < 300) expect(outcome).toEqual({ ...DELIVERED, httpStatus: status });
    else expect(outcome).toMatchObject({ name: 'rejected', httpStatus: status, unconfirmed: 'all' });
  });

  it.each([
    [reply(500, 'Internal Server Error'), 'the receiver answered HTTP 500 Internal Server Error'],
    [reply(404), 'the receiver answered HTTP 404'],
    [reply(302, 'Found'), 'the receiver answered HTTP 302 Found; redirects are not followed'],
    [reply(308), 'the receiver answered HTTP 308; redirects are not followed'],
    [reply(300), 'the receiver answered HTTP 300'],
    [reply(304, 'Not Modified'), 'the receiver answered HTTP 304 Not Modified'],
    [reply(305), 'the receiver answered HTTP 305'],
  ])('says why: %j', (exchange, error) => {
    expect(notificationOutcome(exchange).error).toEqual(error);
  });

  it('passes Retry-After on', () => {
    expect(notificationOutcome(reply(503, '', { retryAfter: '5' })).retryAfter).toBe('5');
  });

  it.each(TRANSPORT_FAILURES)('%j', (exchange, error) => {
    expect(notificationOutcome(exchange)).toEqual(whole(exchange.type, error));
  });
});

describe('batchOutcome', () => {
  const hashes = ['hash-a', 'hash-b', 'hash-a'];
  const confirm = (...confirmed: string[]) => confirmed.map((hash) => ({ hash, status: true }));

  it('is delivered when every event is confirmed', () => {
    expect(batchOutcome(acknowledging(confirm('hash-b', 'hash-a')), hashes)).toEqual({ ...DELIVERED, httpStatus: 200 });
  });

  it('lists the positions of the unconfirmed events', () => {
    expect(batchOutcome(acknowledging(confirm('hash-b')), hashes)).toEqual({
      name: 'delivered',
      httpStatus: 200,
      error: 'the acknowledgement leaves 2 of 3 events unconfirmed: it has no item for “hash-a”',
      unconfirmed: [0, 2],
      retryAfter: undefined,
    });
  });

  const longHash = 'x'.repeat(5000);
  it.each<readonly [unknown, string]>([
    [[], 'the array is empty'],
    [confirm('HASH-A', 'other'), 'it has no item for “hash-a”, but one for “HASH-A”, which was not sent'],
    [confirm(longHash), 'it has no item for “hash-a”, but one for a long text, which was not sent'],
    [[null, 7], 'an item has no "hash"'],
    [[{ hash: 7, status: true }], 'the "hash" of an item is not a text'],
    [['hash-a'], 'its items are texts instead of objects'],
    ...(
      [
        [undefined, 'is missing'],
        [false, 'is false'],
        ['true', 'is the text “true”'],
        ['ok', 'is the text “ok”'],
        ['yes', 'is the text “yes”'],
        ['x'.repeat(21), 'is the text a long text'],
        [1, 'is the number 1'],
        [null, 'is null'],
        [{}, 'is an object or array'],
      ] as const
    ).map(([status, what]) => {
      const fault = `the "status" of “hash-a” ${what}`;
      return [
        [{ hash: 'hash-a', status }],
        status === undefined ? fault : `${fault} instead of the boolean true`,
      ] as const;
    }),
  ])('fails as a whole when no event is confirmed: %j', (items, fault) => {
    const error = `the acknowledgement confirms none of 3 events: ${fault}`;
    expect(batchOutcome(acknowledging(items), hashes)).toEqual(whole('rejected', error, 200));
  });

  it('names no count in a batch of one event', () => {
    expect(batchOutcome(acknowledging([]), ['hash-a']).error).toEqual(
      'the acknowledgement does not confirm the event: the array is empty',
    );
  });

  it('names three unconfirmed hashes', () => {
    const many = Array.from({ length: 1000 }, (_, i) => `hash-${i}`);
    expect(batchOutcome(acknowledging(confirm('hash-0', 'hash-1', 'hash-2')), many).error).toEqual(
      'the acknowledgement leaves 997 of 1000 events unconfirmed: it has no item for “hash-3”, “hash-4”, ' +
        '“hash-5” and 994 more',
    );
  });

  it.each([
    [undefined, 'its body is empty'],
    [' \n', 'its body is empty'],
    ['ok', 'it is not JSON'],
    ['{}', 'it is a JSON object'],
    ['7', 'it is a single JSON value'],
    ['{"hash":"hash-a","status":true}', 'it is one object'],
    ['[{"hash":"hash-a","status":true}', 'its JSON is incomplete or invalid'],
    ['connected\n[{"hash":"hash-a","status":true}]', 'other text comes before the JSON'],
    ['<h1>Sign in</h1>', 'it is HTML or XML: “Sign in”'],
  ])('is an invalid reply when the body is not a JSON array: %j', (body, fault) => {
    const exchange = reply(200, 'OK', body === undefined ? {} : { body });
    const error = `the reply is not a JSON array of {hash, status}: ${fault}`;
    expect(batchOutcome(exchange, hashes)).toEqual(whole('invalid-reply', error, 200));
  });

  it.each(Array.from({ length: 500 }, (_, i) => 100 + i).filter((status) => status !== 200))(
    'fails with status %d, even if the body confirms events',
    (status) => {
      const outcome = batchOutcome(acknowledging(confirm('hash-a', 'hash-b'), status), hashes);
      expect(outcome).toMatchObject({ name: 'rejected', httpStatus: status, unconfirmed: 'all' });
    },
  );

  it.each([
    [reply(204, 'No Content'), 'the receiver answered HTTP 204 No Content; a batch is acknowledged with HTTP 200'],
    [reply(307), 'the receiver answered HTTP 307; redirects are not followed'],
    [reply(503, 'Service Unavailable'), 'the receiver answered HTTP 503 Service Unavailable'],
  ])('says why: %j', (exchange, error) => {
    expect(batchOutcome(exchange, hashes).error).toEqual(error);
  });

  it.each(TRANSPORT_FAILURES)('%j', (exchange, error) => {
    expect(batchOutcome(exchange, hashes)).toEqual(whole(exchange.type, error));
  });

  it('never quotes the body of a reply with another status', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), (status) => {
        const outcome = batchOutcome(reply(status, '', { body: 'a secret of the inside' }), hashes);
        expect(String(outcome.error)).not.toContain('secret');
      }),
    );
  });
});

describe('the length of errors', () => {
  const long = 'x'.repeat(64_000);
  const LONG: ReceiverExchange[] = [
    reply(500, long),
    { type: 'unreachable', detail: other(long) },
    { type: 'invalid-reply', detail: other(long) },
    { type: 'blocked', detail: other(long) },
  ];

  it.each(LONG.map((exchange) => [exchange.type, exchange] as const))(
    'is at most 500 code points, however long the reply is: %s',
    (_what, exchange) => {
      expect(String(notificationOutcome(exchange).error)).toHaveLength(500);
      expect(String(batchOutcome(exchange, ['hash-a']).error)).toHaveLength(500);
      if (exchange.type !== 'invalid-reply') expect(String(connectionTestFault(exchange))).toHaveLength(500);
    },
  );
});

describe('localFaultReason', () => {
  it.each(localFaultCauses)('does not blame the receiver: %s', (cause) => {
    const message = String(localFaultReason({ type: 'local-fault', cause, detail: 'EXAMPLE: for operators' }));
    expect(message).toMatch(/^Mailhook could not send the request just now \(.+\); try again$/);
    expect(message).not.toMatch(/receiver|EXAMPLE/);
  });
});
