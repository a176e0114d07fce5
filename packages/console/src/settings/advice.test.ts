import {
  batchOutcome,
  connectionTestFault,
  localFaultCauses,
  localFaultMessage,
  notificationOutcome,
} from '@mailhook/core';
import type { ReceiverExchange } from '@mailhook/core';
import { markup } from '../html/markup.ts';
import { adviceOn as adviceFor } from './advice.ts';

const adviceOn = (failure: string, isSigned: boolean): string =>
  markup`${adviceFor(failure, isSigned)}`.toString().replaceAll('&quot;', '"');

const reply = (status: number, body = '', statusText = 'Text'): ReceiverExchange => ({
  type: 'reply',
  status,
  statusText,
  body,
  retryAfter: undefined,
});
const unreachable = (detail: string): ReceiverExchange => ({ type: 'unreachable', detail });

/** What a receiver did, and some words of the correct advice. */
const CASES: readonly (readonly [ReceiverExchange, string])[] = [
  [reply(404), 'no application at this address'],
  [reply(301), 'redirects to'],
  [reply(304), 'Let it answer POST requests'],
  [reply(401), 'create a signing secret'],
  [reply(405), 'Mailhook sends POST'],
  [reply(410), 'Enter the new address'],
  [reply(413), 'at least 1 MB'],
  [reply(418), 'Your server refused the request'],
  [reply(429), 'raise the limit'],
  [reply(500), 'Its error log'],
  [reply(503, '', 'No database at 404 street'), 'Its error log'],
  [{ type: 'timeout' }, 'within 5 seconds'],
  [unreachable('no connection was made in time'), 'firewall'],
  [unreachable('TLS: the handshake did not end in time'), 'overloaded'],
  [unreachable('connection refused'), 'Nothing listens there'],
  [unreachable("Mailhook's proxy could not connect (HTTP 502)"), 'Mailhook sends through a proxy'],
  [unreachable('connection reset'), 'ended the connection'],
  [unreachable('the connection was closed before the reply was complete'), 'ended the connection'],
  [unreachable('no route to the host'), 'network of this address'],
  [unreachable('the name does not resolve to an address that Mailhook may call'), 'spelling of the host name'],
  [unreachable('the name server failed'), 'DNS'],
  [unreachable('TLS: the certificate has expired'), 'Renew'],
  [unreachable('TLS: the certificate is self-signed'), 'public authority'],
  [unreachable('TLS: the certificate chain is incomplete'), 'intermediate'],
  [unreachable('TLS: the certificate is for another name'), 'names this host'],
  [unreachable('TLS: the handshake failed'), 'speaks https'],
  [unreachable('TLS: the server does not speak TLS on this port'), 'http:// instead'],
  [unreachable('TLS: the server wants a client certificate, and Mailhook has none'), 'without a client certificate'],
  [
    unreachable('TLS: the server refuses the handshake; it may want a client certificate, or other ciphers'),
    'without a client certificate',
  ],
  [
    unreachable('TLS: the certificate is not accepted (INVALID_PURPOSE: unsuitable certificate purpose)'),
    'for servers',
  ],
  [unreachable('the connection was closed without a reply'), 'ended the connection'],
  [
    { type: 'blocked', detail: 'the name does not resolve to an address that Mailhook may call' },
    'spelling of the host name',
  ],
];

describe('advice', () => {
  it.each(CASES)('fits the errors of tests and deliveries: %j', (exchange, words) => {
    expect(adviceOn(connectionTestFault(exchange) ?? '', false)).toContain(words);
    expect(adviceOn(notificationOutcome(exchange).error ?? '', false)).toContain(words);
    expect(adviceOn(batchOutcome(exchange, ['h']).error ?? '', false)).toContain(words);
  });

  it('fits answers of the wrong shape', () => {
    expect(adviceOn(connectionTestFault(reply(200, '[]')) ?? '', false)).toContain('{"status": "ok"}');
    const text = (body: string): string => adviceOn(batchOutcome(reply(200, body), ['h', 'i']).error ?? '', false);
    expect(text('hello')).toContain('a JSON array');
    expect(text('[]')).toContain('"status": true');
    expect(text('[{"hash":"h","status":true}]')).toContain('Confirm every event');
    const unreadable: ReceiverExchange = { type: 'invalid-reply', detail: 'it is not HTTP/1.1' };
    expect(adviceOn(notificationOutcome(unreadable).error ?? '', false)).toContain('speak HTTP');
    expect(adviceOn(connectionTestFault(unreadable) ?? '', false)).not.toBe('');
  });

  it.each(localFaultCauses)('does not blame the receiver for a local fault: %s', (cause) => {
    expect(adviceOn(localFaultMessage({ type: 'local-fault', cause, detail: '' }), false)).toContain(
      'nothing about your server',
    );
  });

  it.each(['Request error (curl) 401 - HTTP/1.1 401', 'the receiver answered HTTP 403 Forbidden'])(
    'names the signature first if the account has secrets: %s',
    (failure) => {
      expect(adviceOn(failure, true)).toMatch(/signing secret.* verify the body as it came.* clock.* login/);
      expect(adviceOn(failure, false)).toMatch(/wants a login.* create a signing secret/);
    },
  );

  it('gives general advice on unknown failures', () => {
    expect(adviceOn('the receiver could not be reached: the request failed (EWEIRD)', false)).toContain(
      'Check that the address',
    );
  });
});
