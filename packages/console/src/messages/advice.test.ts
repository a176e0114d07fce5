import {
  batchOutcome,
  coded,
  connectionTestFault,
  localFaultCauses,
  localFaultReason,
  notificationOutcome,
} from '@mailhook/core';
import type { CodedText, PlainCode, ReceiverExchange } from '@mailhook/core';
import { html } from '../html/markup.ts';
import { NOBODY } from '../html/reader.ts';
import { adviceOn as adviceFor } from './advice.ts';

const adviceOn = (failure: CodedText | undefined, isSigned: boolean): string =>
  html`${adviceFor(failure ?? coded('other', { text: '' }), isSigned)}`
    .toString({ ...NOBODY, deadlineMs: 2500 })
    .replaceAll('&quot;', '"');

const reply = (status: number, body = '', statusText = 'Text'): ReceiverExchange => ({
  type: 'reply',
  status,
  statusText,
  body,
  retryAfter: undefined,
});
const unreachableBy = (detail: CodedText): ReceiverExchange => ({ type: 'unreachable', detail });
const unreachable = (code: PlainCode): ReceiverExchange => unreachableBy(coded(code));

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
  [{ type: 'timeout' }, 'within 2.5 s.'],
  [unreachable('not-connected'), 'firewall'],
  [unreachable('tls-late'), 'overloaded'],
  [unreachable('refused'), 'Nothing listens there'],
  [unreachableBy(coded('no-tunnel-status', { status: 502 })), 'Mailhook sends through a proxy'],
  [unreachable('reset'), 'closed the connection'],
  [unreachable('closed-early'), 'closed the connection'],
  [unreachable('no-route'), 'network of this address'],
  [unreachable('no-address'), 'spelling of the host name'],
  [unreachable('dns-failed'), 'DNS'],
  [unreachable('tls-expired'), 'Renew'],
  [unreachable('tls-self-signed'), 'public authority'],
  [unreachable('tls-chain'), 'intermediate'],
  [unreachable('tls-other-name'), 'names this host'],
  [unreachable('tls-failed'), 'speaks https'],
  [unreachable('tls-none'), 'http:// instead'],
  [unreachable('tls-client'), 'without a client certificate'],
  [unreachable('tls-refused'), 'without a client certificate'],
  [
    unreachableBy(coded('tls-not-accepted', { cause: 'INVALID_PURPOSE: unsuitable certificate purpose' })),
    'for servers',
  ],
  [unreachable('closed'), 'closed the connection'],
  [{ type: 'blocked', detail: coded('no-address') }, 'spelling of the host name'],
];

describe('advice', () => {
  it.each(CASES)('fits the errors of tests and deliveries: %j', (exchange, words) => {
    expect(adviceOn(connectionTestFault(exchange), false)).toContain(words);
    expect(adviceOn(notificationOutcome(exchange).error, false)).toContain(words);
    expect(adviceOn(batchOutcome(exchange, ['h']).error, false)).toContain(words);
  });

  it('fits answers of the wrong shape', () => {
    expect(adviceOn(connectionTestFault(reply(200, '[]')), false)).toContain('{"status": "ok"}');
    const text = (body: string): string => adviceOn(batchOutcome(reply(200, body), ['h', 'i']).error, false);
    expect(text('hello')).toContain('a JSON array');
    expect(text('[]')).toContain('"status": true');
    expect(text('[{"hash":"h","status":true}]')).toContain('Confirm every event');
    const unreadable: ReceiverExchange = {
      type: 'invalid-reply',
      detail: coded('not-http', { fault: coded('is-http2') }),
    };
    expect(adviceOn(notificationOutcome(unreadable).error, false)).toContain('speak HTTP');
    expect(adviceOn(connectionTestFault(unreadable), false)).not.toBe('');
  });

  it.each(localFaultCauses)('does not blame the receiver for a local fault: %s', (cause) => {
    expect(adviceOn(localFaultReason({ type: 'local-fault', cause, detail: '' }), false)).toContain(
      'nothing about your server',
    );
  });

  it.each([coded('test-status', { line: '401 - HTTP/1.1 401' }), coded('status', { status: '403 Forbidden' })])(
    'names the signature first if the account has secrets: %s',
    (failure) => {
      expect(adviceOn(failure, true)).toMatch(/signing secret.* verify the body as it came.* clock.* login/);
      expect(adviceOn(failure, false)).toMatch(/wants a login.* create a signing secret/);
    },
  );

  it('gives general advice on unknown failures', () => {
    expect(adviceOn(coded('unreachable', { fault: coded('request-failed', { cause: 'EWEIRD' }) }), false)).toContain(
      'Check that the address',
    );
  });
});
