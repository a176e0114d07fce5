import { isIPv6 } from 'node:net';
import type { Exchange, LocalFault, LocalFaultCause } from '@mailhook/core';

type Failure = Exclude<Exchange, { type: 'reply' }>;

const unreachable = (detail: string): Failure => ({ type: 'unreachable', detail });
const invalidReply = (detail: string): Failure => ({ type: 'invalid-reply', detail });

/** The time was over before the request could be sent: no TCP connection, or one that the host accepted without a TLS handshake. */
export const notConnected = (isAccepted: boolean): Failure =>
  unreachable(isAccepted ? 'TLS: the handshake did not end in time' : 'no connection was made in time');

const BY_CODE: Readonly<Record<string, Failure>> = {
  ECONNREFUSED: unreachable('connection refused'),
  ECONNRESET: unreachable('connection reset'),
  EPIPE: unreachable('connection reset'),
  EHOSTUNREACH: unreachable('no route to the host'),
  ENETUNREACH: unreachable('no route to the host'),
  EADDRNOTAVAIL: unreachable('no route to the host'),
  ENOTFOUND: unreachable('the name does not resolve'),
  ENODATA: unreachable('the name does not resolve'),
  EBADNAME: unreachable('the name does not resolve'),
  ESERVFAIL: unreachable('the name server failed'),
  EREFUSED: unreachable('the name server refused to answer'),
  ETIMEOUT: unreachable('the name server did not answer'),
  ETIMEDOUT: { type: 'timeout' },
  UND_ERR_SOCKET: unreachable('the connection was closed before the reply was complete'),
  UND_ERR_HEADERS_OVERFLOW: invalidReply('its headers are too long'),
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: invalidReply('its body is not as long as its Content-Length says'),
  CERT_HAS_EXPIRED: unreachable('TLS: the certificate has expired'),
  CERT_NOT_YET_VALID: unreachable('TLS: the certificate is not valid yet'),
  DEPTH_ZERO_SELF_SIGNED_CERT: unreachable('TLS: the certificate is self-signed'),
  SELF_SIGNED_CERT_IN_CHAIN: unreachable('TLS: the certificate is issued by an unknown authority'),
  UNABLE_TO_GET_ISSUER_CERT: unreachable('TLS: the certificate chain is incomplete'),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unreachable('TLS: the certificate chain is incomplete'),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unreachable('TLS: the certificate chain is incomplete'),
  CERT_REVOKED: unreachable('TLS: the certificate is revoked'),
  ERR_TLS_CERT_ALTNAME_INVALID: unreachable('TLS: the certificate is for another name'),
};

const localFault = (cause: LocalFaultCause, detail: string): LocalFault => ({ type: 'local-fault', cause, detail });

/** Local faults by the error code of a failed connection or lookup. */
const LOCAL_BY_CODE: Readonly<Record<string, LocalFault>> = {
  EMFILE: localFault('file-descriptors', 'EMFILE: this process has reached its limit of open files'),
  ENFILE: localFault('file-descriptors', 'ENFILE: this machine has reached its limit of open files'),
  EADDRNOTAVAIL: localFault('ports', 'EADDRNOTAVAIL: no local port is free for this address'),
  EAGAIN: localFault('memory', 'EAGAIN: the kernel lacks room for another connection'),
  ENOBUFS: localFault('memory', 'ENOBUFS: the kernel lacks buffers'),
  ENOMEM: localFault('memory', 'ENOMEM: the kernel lacks memory'),
};

const CONNECT_TIMEOUTS: readonly string[] = ['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'];

/** Messages of undici's socket errors after an unacceptable reply. */
const PROTOCOL_FAULTS: readonly string[] = ['bad response', 'bad upgrade'];

/**
 * Maps an error to a failure with a text for customers. If `wasSent`, the receiver may have seen the request, so no error is a local fault.
 * `isAccepted` is that of the connection.
 */
export function transportFailure(error: unknown, wasSent: boolean, isAccepted: boolean): Failure {
  if (wasSent) return receiverFailure(error);
  const isLate = CONNECT_TIMEOUTS.includes(asRecord(error).code);
  return localFaultOf(error) ?? (isLate ? notConnected(isAccepted) : receiverFailure(error));
}

function localFaultOf(error: unknown): LocalFault | undefined {
  const { name, code, message, address } = asRecord(firstOf(error));
  if (name === 'ResolverAwayError') return localFault('resolver', message);
  // This machine may lack something to reach the proxy.
  if (name === 'ProxyAwayError') return localFaultOf((error as Error).cause) ?? localFault('proxy', message);
  // A machine without IPv6 reports the same for every IPv6 address.
  if (code === 'EADDRNOTAVAIL' && isIPv6(address)) return undefined;
  return LOCAL_BY_CODE[code];
}

/** A name with several addresses fails with one error per address. The first is that of the preferred address. */
const firstOf = (error: unknown): unknown => (error instanceof AggregateError ? error.errors[0] : error);

function receiverFailure(error: unknown): Failure {
  const { name, code, message } = asRecord(error);
  if (name === 'BlockedAddressError') return { type: 'blocked', detail: message };
  if (name === 'NoTunnelError') return unreachable(message);
  if (name === 'HTTPParserError' || code.startsWith('HPE_') || PROTOCOL_FAULTS.includes(message)) {
    return invalidReply('it is not HTTP/1.1');
  }
  const known = BY_CODE[code];
  if (known !== undefined) return known;
  if (code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS') || code === 'EPROTO')
    return unreachable('TLS: the handshake failed');
  return unreachable(`the request failed (${code === '' ? message.slice(0, 200) : code})`);
}

type ErrorTexts = Readonly<Record<'name' | 'code' | 'message' | 'address', string>>;

function asRecord(error: unknown): ErrorTexts {
  const text = (key: keyof ErrorTexts): string => {
    const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, key) : undefined;
    return typeof value === 'string' ? value : '';
  };
  return { name: text('name'), code: text('code'), message: text('message'), address: text('address') };
}
