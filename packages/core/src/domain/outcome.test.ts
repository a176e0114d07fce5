import fc from 'fast-check';
import {
  asTested,
  batchOutcome,
  connectionTestDetail,
  connectionTestFault,
  localFaultCauses,
  localFaultMessage,
  notificationOutcome,
} from './outcome.ts';
import type { ReceiverExchange, Outcome } from './outcome.ts';

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

const TRANSPORT_FAILURES: [ReceiverExchange & { type: Outcome['name'] }, string][] = [
  [{ type: 'timeout' }, 'the receiver did not answer in time'],
  [{ type: 'unreachable', detail: 'connection refused' }, 'the receiver could not be reached: connection refused'],
  [{ type: 'invalid-reply', detail: 'no HTTP' }, 'the reply could not be read: no HTTP'],
  [{ type: 'blocked', detail: '10.0.0.1 is private' }, 'blocked: 10.0.0.1 is private'],
  [
    { type: 'cut' },
    'Mailhook ended the request early, because many receivers did not answer; the attempt does not count',
  ],
];

/** The outcome of a request that failed as a whole. */
const whole = (name: Outcome['name'], error: string, httpStatus?: number, retryAfter?: string): Outcome => ({
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
    expect(notificationOutcome(exchange).error).toBe(error);
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
    expect(batchOutcome(acknowledging([]), ['hash-a']).error).toBe(
      'the acknowledgement does not confirm the event: the array is empty',
    );
  });

  it('names three unconfirmed hashes', () => {
    const many = Array.from({ length: 1000 }, (_, i) => `hash-${i}`);
    expect(batchOutcome(acknowledging(confirm('hash-0', 'hash-1', 'hash-2')), many).error).toBe(
      'the acknowledgement leaves 997 of 1000 events unconfirmed: it has no item for “hash-3”, “hash-4”, “hash-5” and 994 more',
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
    expect(batchOutcome(exchange, hashes).error).toBe(error);
  });

  it.each(TRANSPORT_FAILURES)('%j', (exchange, error) => {
    expect(batchOutcome(exchange, hashes)).toEqual(whole(exchange.type, error));
  });

  it('never quotes the body of a reply with another status', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), (status) => {
        const outcome = batchOutcome(reply(status, '', { body: 'a secret of the inside' }), hashes);
        expect(outcome.error).not.toContain('secret');
      }),
    );
  });
});

describe('connectionTestFault', () => {
  const ok = JSON.stringify({ status: 'ok' });
  const INVALID = 'The server responded in an invalid format';

  it.each([200, 201, 202, 299])('accepts status %d with {"status": "ok"}', (status) => {
    expect(connectionTestFault(reply(status, '', { body: ok }))).toBeUndefined();
  });

  it('accepts additional keys', () => {
    expect(connectionTestFault(reply(200, 'OK', { body: '{"status":"ok","version":3}' }))).toBeUndefined();
  });

  it.each([
    [404, 'Not Found', 'Request error (curl) 404 - HTTP/1.1 404 Not Found'],
    [500, 'Internal Server Error', 'Request error (curl) 500 - HTTP/1.1 500 Internal Server Error'],
    [403, 'Forbidden', 'Request error (curl) 403 - HTTP/1.1 403 Forbidden'],
    [418, '', 'Request error (curl) 418 - HTTP/1.1 418'],
    [302, 'Found', 'Request error (curl) 302 - HTTP/1.1 302 Found'],
    [399, '', 'Request error (curl) 399 - HTTP/1.1 399'],
  ])('shows the status line of status %d', (status, statusText, message) => {
    expect(connectionTestFault(reply(status, statusText, { body: ok }))).toBe(message);
  });

  it.each([
    undefined,
    '',
    'fine',
    '{"status":"OKAY"}',
    '[]',
    'null',
    '"ok"',
    '<html>welcome</html>',
    '{"status":true}',
  ])('refuses the body %j', (body) => {
    expect(connectionTestFault(reply(200, 'OK', body === undefined ? {} : { body }))).toBe(INVALID);
  });

  it.each<[ReceiverExchange, string]>([
    [{ type: 'timeout' }, 'The receiver did not answer in time'],
    [{ type: 'unreachable', detail: 'connection refused' }, 'The receiver could not be reached: connection refused'],
    [{ type: 'invalid-reply', detail: 'no HTTP' }, INVALID],
    [{ type: 'blocked', detail: '10.0.0.1 is private' }, 'Blocked: 10.0.0.1 is private'],
  ])('describes in a sentence: %j', (exchange, message) => {
    expect(connectionTestFault(exchange)).toBe(message);
  });
});

describe('connectionTestDetail', () => {
  it.each([
    ['{"status":"ok"}', undefined],
    ['', 'its body is empty'],
    ['[]', 'it is a JSON array'],
    ['{}', 'its "status" is missing'],
    ['{"status":"OKAY"}', 'its "status" is the text “OKAY” instead of the text “ok”'],
    ['{"status":true}', 'its "status" is true instead of the text “ok”'],
    ['<!DOCTYPE html><title>Shop</title>', 'it is HTML or XML: “Shop”'],
  ])('says what is wrong with %j', (body, detail) => {
    expect(connectionTestDetail(reply(200, 'OK', { body }))).toBe(detail);
  });

  it.each<[ReceiverExchange, string | undefined]>([
    [reply(404, 'Not Found', { body: 'x' }), undefined],
    [reply(200, 'OK'), 'its body is empty'],
    [{ type: 'timeout' }, undefined],
    [{ type: 'invalid-reply', detail: 'it is not HTTP/1.1' }, 'the reply could not be read: it is not HTTP/1.1'],
  ])('adds to the message only what it does not say: %j', (exchange, detail) => {
    expect(connectionTestDetail(exchange)).toBe(detail);
  });
});

describe('the length of errors', () => {
  const long = 'x'.repeat(64_000);
  const LONG: ReceiverExchange[] = [
    reply(500, long),
    { type: 'unreachable', detail: long },
    { type: 'invalid-reply', detail: long },
    { type: 'blocked', detail: long },
  ];

  it.each(LONG.map((exchange) => [exchange.type, exchange] as const))(
    'is at most 500 code points, however long the reply is: %s',
    (_what, exchange) => {
      expect(notificationOutcome(exchange).error).toHaveLength(500);
      expect(batchOutcome(exchange, ['hash-a']).error).toHaveLength(500);
      if (exchange.type !== 'invalid-reply') expect(connectionTestFault(exchange)).toHaveLength(500);
    },
  );
});

describe('localFaultMessage', () => {
  it.each(localFaultCauses)('does not blame the receiver: %s', (cause) => {
    const message = localFaultMessage({ type: 'local-fault', cause, detail: 'EXAMPLE: for operators' });
    expect(message).toMatch(/^Mailhook could not send the request just now \(.+\); try again$/);
    expect(message).not.toMatch(/receiver|EXAMPLE/);
  });
});

describe('asTested', () => {
  const detail = 'the name does not resolve';

  it('shows a blocked name like one without an address', () => {
    const [blocked, unknown] = (['blocked', 'unreachable'] as const).map((type) => ({
      type,
      detail,
      isByLookup: true,
    }));
    for (const faultOf of [connectionTestFault, (one: ReceiverExchange) => notificationOutcome(one).error]) {
      expect(faultOf(asTested(blocked!))).toBe(faultOf(unknown!));
    }
  });

  it.each<ReceiverExchange>([{ type: 'blocked', detail }, { type: 'timeout' }, reply(200)])('keeps %j', (exchange) => {
    expect(asTested(exchange)).toBe(exchange);
  });
});
