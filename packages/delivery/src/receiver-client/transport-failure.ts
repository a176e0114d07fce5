import { isIPv6 } from 'node:net';
import { coded } from '@mailhook/core';
import type { CodedText, Exchange, LocalFault, LocalFaultCause, PlainCode } from '@mailhook/core';
import { BlockedAddressError, NoTunnelError } from '@mailhook/platform/egress';
import type { UnreadHead } from './parser-fault.ts';
import { lengthFault, notHttpFault, parserFault } from './parser-fault.ts';
import { UnaskedReplyError } from './reply-bytes.ts';
import { sanitizeHeader } from './sanitize-header.ts';

type Failure = Exclude<Exchange, { type: 'reply' }>;

const unreachableBy = (detail: CodedText): Failure => ({ type: 'unreachable', detail });
const unreachable = (code: PlainCode): Failure => unreachableBy(coded(code));
const invalidReply = (detail: CodedText): Failure => ({ type: 'invalid-reply', detail });

/**
 * The time was over before the request could be sent: no TCP connection, or one that the host accepted without a TLS
 * handshake.
 */
export const notConnected = (isAccepted: boolean): Failure => unreachable(isAccepted ? 'tls-late' : 'not-connected');

const BY_CODE: Readonly<Record<string, Failure>> = {
  ECONNREFUSED: unreachable('refused'),
  ECONNRESET: unreachable('reset'),
  EPIPE: unreachable('reset'),
  EHOSTUNREACH: unreachable('no-route'),
  ENETUNREACH: unreachable('no-route'),
  EADDRNOTAVAIL: unreachable('no-route'),
  ENOTFOUND: unreachable('no-address'),
  ENODATA: unreachable('no-address'),
  EBADNAME: unreachable('no-address'),
  ESERVFAIL: unreachable('dns-failed'),
  EREFUSED: unreachable('dns-refused'),
  ETIMEOUT: unreachable('dns-silent'),
  ETIMEDOUT: { type: 'timeout' },
  UND_ERR_SOCKET: unreachable('closed-early'),
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: invalidReply(coded('body-length')),
  CERT_HAS_EXPIRED: unreachable('tls-expired'),
  CERT_NOT_YET_VALID: unreachable('tls-not-yet'),
  DEPTH_ZERO_SELF_SIGNED_CERT: unreachable('tls-self-signed'),
  SELF_SIGNED_CERT_IN_CHAIN: unreachable('tls-unknown'),
  UNABLE_TO_GET_ISSUER_CERT: unreachable('tls-chain'),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unreachable('tls-chain'),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unreachable('tls-chain'),
  CERT_REVOKED: unreachable('tls-revoked'),
  ERR_TLS_CERT_ALTNAME_INVALID: unreachable('tls-other-name'),
  HOSTNAME_MISMATCH: unreachable('tls-other-name'),
};

const NO_TLS = unreachable('tls-none');
const NO_VERSION = unreachable('tls-version');
const REFUSED = unreachable('tls-refused');

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
  TLSV13_ALERT_CERTIFICATE_REQUIRED: unreachable('tls-client'),
  TLSV1_UNRECOGNIZED_NAME: unreachable('tls-unknown-name'),
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

const notHttp = (fault: CodedText): Failure => invalidReply(coded('not-http', { fault }));

/** By the messages of undici's socket errors after an unacceptable reply. */
const PROTOCOL_FAULTS: Readonly<Record<string, Failure>> = {
  'bad response': notHttp(coded('no-request')),
  'bad upgrade': notHttp(coded('upgrade')),
};

/**
 * Maps an error to a failure. If `wasSent`, the receiver may have seen the request, so no
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
  if (error instanceof BlockedAddressError)
    return { type: 'blocked', detail: error.reason, isByLookup: error.isByLookup };
  if (error instanceof UnaskedReplyError) {
    if (!data.startsWith('HTTP/')) return notHttp(notHttpFault(data));
    return invalidReply(coded('early-reply', { line: sanitizeHeader(data.split('\r\n', 1)[0] ?? '') }));
  }
  if (error instanceof NoTunnelError) return unreachableBy(error.reason);
  if (name === 'HTTPParserError' || code.startsWith('HPE_')) return notHttp(parserFault(message || code, data));
  const known = withoutReply(code, message, head) ?? PROTOCOL_FAULTS[message] ?? BY_CODE[code];
  if (known !== undefined) return known;
  if (CERTIFICATE_FAULTS.has(code)) return unreachableBy(coded('tls-not-accepted', { cause: `${code}: ${message}` }));
  if (code.startsWith('ERR_SSL_')) return tlsFailure(code.slice('ERR_SSL_'.length));
  if (code.startsWith('ERR_TLS') || code === 'EPROTO') return unreachable('tls-failed');
  return unreachableBy(coded('request-failed', { cause: code === '' ? message.slice(0, 200) : code }));
}

const tlsFailure = (reason: string): Failure =>
  BY_TLS_REASON[reason] ??
  unreachableBy(coded('tls-failed-cause', { cause: reason.toLowerCase().replaceAll('_', ' ') }));

/** The failures whose cause shows only in what came, or that nothing came. */
function withoutReply(code: string, message: string, head: UnreadHead | undefined): Failure | undefined {
  if (code === 'ECONNRESET' && message.includes('before secure TLS connection')) {
    return unreachable('tls-closed');
  }
  if (head === undefined) return undefined;
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && head.bytes !== undefined)
    return notHttp(lengthFault(head.bytes));
  const isClosed = code === 'UND_ERR_SOCKET' && !(message in PROTOCOL_FAULTS);
  if (!isClosed || !head.isFirst || head.bytes !== undefined) return undefined;
  return unreachable(head.isHttps ? 'closed' : 'closed-plain');
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
