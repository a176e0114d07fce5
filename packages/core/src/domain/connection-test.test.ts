import { coded } from './coded-text.ts';
import { asTested, connectionTestDetail, connectionTestFault } from './connection-test.ts';
import { notificationOutcome } from './outcome.ts';
import type { ReceiverExchange } from './outcome.ts';

const reply = (status: number, statusText = '', { body }: { body?: string } = {}): ReceiverExchange => ({
  type: 'reply',
  status,
  statusText,
  retryAfter: undefined,
  body,
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
    expect(connectionTestFault(reply(status, statusText, { body: ok }))).toEqual(message);
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
    expect(connectionTestFault(reply(200, 'OK', body === undefined ? {} : { body }))).toEqual(INVALID);
  });

  it.each<[ReceiverExchange, string]>([
    [{ type: 'timeout' }, 'the receiver did not answer in time'],
    [{ type: 'unreachable', detail: coded('refused') }, 'the receiver could not be reached: connection refused'],
    [{ type: 'invalid-reply', detail: coded('is-http2') }, INVALID],
    [{ type: 'blocked', detail: coded('port', { port: '25' }) }, 'blocked: port 25 is not allowed'],
  ])('describes in a sentence: %j', (exchange, message) => {
    expect(connectionTestFault(exchange)).toEqual(message);
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
    expect(connectionTestDetail(reply(200, 'OK', { body }))).toEqual(detail);
  });

  it.each<[ReceiverExchange, string | undefined]>([
    [reply(404, 'Not Found', { body: 'x' }), undefined],
    [reply(200, 'OK'), 'its body is empty'],
    [{ type: 'timeout' }, undefined],
    [{ type: 'invalid-reply', detail: coded('is-http2') }, 'the reply could not be read: it is HTTP/2'],
  ])('adds to the message only what it does not say: %j', (exchange, detail) => {
    expect(connectionTestDetail(exchange)).toEqual(detail);
  });
});

describe('asTested', () => {
  const detail = coded('no-address');

  it('shows a blocked name like one without an address', () => {
    const [blocked, unknown] = (['blocked', 'unreachable'] as const).map((type) => ({
      type,
      detail,
      isByLookup: true,
    }));
    for (const faultOf of [connectionTestFault, (one: ReceiverExchange) => notificationOutcome(one).error]) {
      expect(faultOf(asTested(blocked!))).toEqual(faultOf(unknown!));
    }
  });

  it.each<ReceiverExchange>([{ type: 'blocked', detail }, { type: 'timeout' }, reply(200)])('keeps %j', (exchange) => {
    expect(asTested(exchange)).toBe(exchange);
  });
});
