import { transportFailure } from './transport-failure.ts';

const failure = (code: string, address = '127.0.0.1'): Error =>
  Object.assign(new Error(`connect ${code} ${address}:80`), { code, syscall: 'connect', address });
const ofAll = (...errors: Error[]): AggregateError =>
  Object.assign(new AggregateError(errors), { code: (errors[0] as NodeJS.ErrnoException).code });

const LOCAL: readonly (readonly [string, Error, string])[] = [
  ['EMFILE', failure('EMFILE'), 'file-descriptors'],
  ['ENFILE', failure('ENFILE'), 'file-descriptors'],
  ['EADDRNOTAVAIL', failure('EADDRNOTAVAIL'), 'ports'],
  ['ENOMEM', failure('ENOMEM'), 'memory'],
  ['ENOBUFS', failure('ENOBUFS'), 'memory'],
  ['EAGAIN', failure('EAGAIN'), 'memory'],
  [
    'an address that could not be tried before one that refuses',
    ofAll(failure('EMFILE'), failure('ECONNREFUSED')),
    'file-descriptors',
  ],
];

describe('transportFailure', () => {
  test.each(LOCAL)('%s is a local fault', (_what, error, cause) => {
    expect(transportFailure(error, false, false)).toMatchObject({ type: 'local-fault', cause });
  });

  test.each(LOCAL)('%s counts as a failed attempt once the request was sent', (_what, error) => {
    expect(transportFailure(error, true, true)).toMatchObject({ type: 'unreachable' });
  });

  test.each([
    ['a machine without IPv6', failure('EADDRNOTAVAIL', '2001:db8::1'), 'no route to the host'],
    [
      'an address that refuses before one that could not be tried',
      ofAll(failure('ECONNREFUSED'), failure('EMFILE')),
      'connection refused',
    ],
  ])('%s is not a local fault', (_what, error, detail) => {
    expect(transportFailure(error, false, false)).toEqual({ type: 'unreachable', detail });
  });

  test.each(['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'])('%s before the request was sent is no late reply', (code) => {
    const detail = (isAccepted: boolean) => transportFailure(failure(code), false, isAccepted);
    expect(detail(false)).toEqual({ type: 'unreachable', detail: 'no connection was made in time' });
    expect(detail(true)).toEqual({ type: 'unreachable', detail: 'TLS: the handshake did not end in time' });
  });

  test.each([
    ['UNSPECIFIED', 'CA signature digest algorithm too weak'],
    ['CERT_SIGNATURE_FAILURE', 'certificate signature failure'],
    ['PATH_LENGTH_EXCEEDED', 'path length constraint exceeded'],
  ])('%s of a certificate is shown with its reason', (code, reason) => {
    const detail = `TLS: the certificate is not accepted (${code}: ${reason})`;
    const error = Object.assign(new Error(reason), { code });
    expect(transportFailure(error, false, true)).toEqual({ type: 'unreachable', detail });
  });

  test.each([
    ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'TLS: the server does not speak TLS on this port'],
    ['ERR_SSL_UNSUPPORTED_PROTOCOL', 'TLS: the server has no version from 1.2 on'],
    ['ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR', 'TLS: the handshake failed (tlsv1 alert internal error)'],
  ])('%s', (code, detail) => {
    expect(transportFailure(failure(code), false, true)).toEqual({ type: 'unreachable', detail });
  });

  test.each([
    ['Response does not match the HTTP/1.1 protocol (Something new)', 'Something new'],
    ['', ''],
  ])('a parser error without a text of its own: %j', (message, cause) => {
    const error = Object.assign(new Error(message), { name: 'HTTPParserError', code: 'HPE_STRICT' });
    const detail = `it is not HTTP/1.1: ${cause === '' ? 'HPE_STRICT' : cause}`;
    expect(transportFailure(error, true, true)).toEqual({ type: 'invalid-reply', detail });
  });

  test('ETIMEDOUT after the request was sent is a late reply', () => {
    expect(transportFailure(failure('ETIMEDOUT'), true, true)).toEqual({ type: 'timeout' });
  });
});
