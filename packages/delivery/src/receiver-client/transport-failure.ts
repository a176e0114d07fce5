import { isIPv6 } from 'node:net';
import type { Exchange, LocalFault, LocalFaultCause } from '@mailhook/core';
import { BlockedAddressError, NO_ALLOWED_ADDRESS } from '@mailhook/platform/egress';
import type { UnreadHead } from './parser-fault.ts';
import { lengthFault, notHttpFault, parserFault } from './parser-fault.ts';
import { UnaskedReplyError } from './reply-bytes.ts';
import { sanitizeHeader } from './sanitize-header.ts';

type Failure = Exclude<Exchange, { type: 'reply' }>;

const unreachable = (detail: string): Failure => ({ type: 'unreachable', detail });
const invalidReply = (detail: string): Failure => ({ type: 'invalid-reply', detail });

/**
 * The time was over before the request could be sent: no TCP connection, or one that the host accepted without a TLS
 * handshake.
 */
export const notConnected = (isAccepted: boolean): Failure =>
  unreachable(isAccepted ? 'TLS: the handshake did not end in time' : 'no connection was made in time');

const BY_CODE: Readonly<Record<string, Failure>> = {
  ECONNREFUSED: unreachable('connection refused'),
  ECONNRESET: unreachable('connection reset'),
  EPIPE: unreachable('connection reset'),
  EHOSTUNREACH: unreachable('no route to the host'),
  ENETUNREACH: unreachable('no route to the host'),
  EADDRNOTAVAIL: unreachable('no route to the host'),
  ENOTFOUND: unreachable(NO_ALLOWED_ADDRESS),
  ENODATA: unreachable(NO_ALLOWED_ADDRESS),
  EBADNAME: unreachable(NO_ALLOWED_ADDRESS),
  ESERVFAIL: unreachable('the name server failed'),
  EREFUSED: unreachable('the name server refused to answer'),
  ETIMEOUT: unreachable('the name server did not answer'),
  ETIMEDOUT: { type: 'timeout' },
  UND_ERR_SOCKET: unreachable('the connection was closed before the reply was complete'),
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
  HOSTNAME_MISMATCH: unreachable('TLS: the certificate is for another name'),
};

const NO_TLS = unreachable('TLS: the server does not speak TLS on this port');
const NO_VERSION = unreachable('TLS: the server has no version from 1.2 on');
const REFUSED = unreachable(
  'TLS: the server refuses the handshake; it may want a client certificate, or other ciphers',
);

/** By OpenSSL's reasons, in the form of Node's error codes without `ERR_SSL_`. */
const BY_TLS_REASON: Readonly<Record<string, Failure>> = {
  WRONG_VERSION_NUMBER: NO_TLS,
  PACKET_LENGTH_TOO_LONG: NO_TLS,
  RECORD_LAYER_FAILURE: NO_TLS,
  HTTP_REQUEST: NO_TLS,
  UNKNOWN_PROTOCOL: NO_TLS,
  UNSUPPORTED_PROTOCOL: NO_VERSION,
  TLSV1_ALERT_PROTOCOL_VERSION: NO_VERSION,
  WRONG_SSL_VERSION: NO_VERSION,
  SSLV3_ALERT_HANDSHAKE_FAILURE: REFUSED,
  'SSL/TLS_ALERT_HANDSHAKE_FAILURE': REFUSED,
  TLSV13_ALERT_CERTIFICATE_REQUIRED: unreachable('TLS: the server wants a client certificate, and Mailhook has none'),
  TLSV1_UNRECOGNIZED_NAME: unreachable('TLS: the server does not know the name in the address'),
};

/**
 * The results of OpenSSL's check of a certificate that have no text of their own above. Node reports all newer ones as
 * UNSPECIFIED.
 */
const CERTIFICATE_FAULTS: ReadonlySet<string> = new Set([
  'UNABLE_TO_GET_CRL',
  'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
  'UNABLE_TO_DECRYPT_CRL_SIGNATURE',
  'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
  'CERT_SIGNATURE_FAILURE',
  'CRL_SIGNATURE_FAILURE',
  'CRL_NOT_YET_VALID',
  'CRL_HAS_EXPIRED',
  'ERROR_IN_CERT_NOT_BEFORE_FIELD',
  'ERROR_IN_CERT_NOT_AFTER_FIELD',
  'ERROR_IN_CRL_LAST_UPDATE_FIELD',
  'ERROR_IN_CRL_NEXT_UPDATE_FIELD',
  'OUT_OF_MEM',
  'CERT_CHAIN_TOO_LONG',
  'INVALID_CA',
  'PATH_LENGTH_EXCEEDED',
  'INVALID_PURPOSE',
  'CERT_UNTRUSTED',
  'CERT_REJECTED',
  'UNSPECIFIED',
]);

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

const notHttp = (cause: string): Failure => invalidReply(`it is not HTTP/1.1: ${cause}`);

/** By the messages of undici's socket errors after an unacceptable reply. */
const PROTOCOL_FAULTS: Readonly<Record<string, Failure>> = {
  'bad response': notHttp('it comes without a request'),
  'bad upgrade': notHttp('it wants to change the protocol (101)'),
};

/**
 * Maps an error to a failure with a text for customers. If `wasSent`, the receiver may have seen the request, so no
 * error is a local fault. `isAccepted` is that of the connection. `head` is set if the head of a reply could not be
 * read.
 */
export function transportFailure(error: unknown, wasSent: boolean, isAccepted: boolean, head?: UnreadHead): Failure {
  if (wasSent) return receiverFailure(error, head);
  const isLate = CONNECT_TIMEOUTS.includes(asRecord(error).code);
  return localFaultOf(error) ?? (isLate ? notConnected(isAccepted) : receiverFailure(error, head));
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

function receiverFailure(error: unknown, head: UnreadHead | undefined): Failure {
  const { name, code, message, data } = asRecord(error);
  if (error instanceof BlockedAddressError) return { type: 'blocked', detail: message, isByLookup: error.isByLookup };
  if (error instanceof UnaskedReplyError) {
    if (!data.startsWith('HTTP/')) return notHttp(notHttpFault(data));
    return invalidReply(`it came before the request: ${sanitizeHeader(data.split('\r\n', 1)[0] ?? '')}`);
  }
  if (name === 'NoTunnelError') return unreachable(message);
  if (name === 'HTTPParserError' || code.startsWith('HPE_')) return notHttp(parserFault(message || code, data));
  const known = withoutReply(code, message, head) ?? PROTOCOL_FAULTS[message] ?? BY_CODE[code];
  if (known !== undefined) return known;
  if (CERTIFICATE_FAULTS.has(code)) return unreachable(`TLS: the certificate is not accepted (${code}: ${message})`);
  if (code.startsWith('ERR_SSL_')) return tlsFailure(code.slice('ERR_SSL_'.length));
  if (code.startsWith('ERR_TLS') || code === 'EPROTO') return unreachable('TLS: the handshake failed');
  return unreachable(`the request failed (${code === '' ? message.slice(0, 200) : code})`);
}

const tlsFailure = (reason: string): Failure =>
  BY_TLS_REASON[reason] ?? unreachable(`TLS: the handshake failed (${reason.toLowerCase().replaceAll('_', ' ')})`);

/** The failures whose cause shows only in what came, or that nothing came. */
function withoutReply(code: string, message: string, head: UnreadHead | undefined): Failure | undefined {
  if (code === 'ECONNRESET' && message.includes('before secure TLS connection')) {
    return unreachable('TLS: the server closed the connection during the handshake');
  }
  if (head === undefined) return undefined;
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && head.bytes !== undefined)
    return notHttp(lengthFault(head.bytes));
  const isClosed = code === 'UND_ERR_SOCKET' && !(message in PROTOCOL_FAULTS);
  if (!isClosed || !head.isFirst || head.bytes !== undefined) return undefined;
  const hint = head.isHttps ? '' : '; if the server expects TLS on this port, the address must begin with https://';
  return unreachable(`the connection was closed without a reply${hint}`);
}

type ErrorTexts = Readonly<Record<'name' | 'code' | 'message' | 'address' | 'data', string>>;

function asRecord(error: unknown): ErrorTexts {
  const text = (key: keyof ErrorTexts): string => {
    const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, key) : undefined;
    return typeof value === 'string' ? value : '';
  };
  return {
    name: text('name'),
    code: text('code'),
    message: text('message'),
    address: text('address'),
    data: text('data'),
  };
}
