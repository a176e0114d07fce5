import { replyFix, statusesThat } from '@mailhook/core';
import type { CodedText, TextCode } from '@mailhook/core';
import { deadline } from '../html/formats.ts';
import type { Localized } from '../html/markup.ts';
import { texts } from './texts.ts';

const advice = { ...texts.advice, timeout: texts.advice.timeout({ deadline }) };

type Advice = keyof typeof advice;

/** Advice by the status of a reply. The first match counts. */
const BY_STATUS: readonly (readonly [RegExp, Advice])[] = [
  [/^40[13]/, 'logIn'],
  [/^404/, 'notFound'],
  [/^405/, 'noPost'],
  [new RegExp(`^(?:${statusesThat('endsDeliveries').join('|')})`), 'ended'],
  [/^413/, 'tooLarge'],
  [/^429/, 'tooMany'],
  [/^30[12378]/, 'redirect'],
  [/^3/, 'otherRedirect'],
  [/^4/, 'refused'],
  [/^5/, 'serverError'],
];

/** Advice on all other failures, by the innermost reason or else the outermost one. */
const BY_CODE: Partial<Record<TextCode, Advice>> = {
  'test-page': 'webPage',
  'not-sent': 'notSent',
  'long-body': 'longReply',
  'not-decompressed': 'compression',
  'many-encodings': 'compression',
  'unknown-encoding': 'compression',
  unreadable: 'notHttp',
  'test-format': 'invalidFormat',
  'test-fault': 'invalidFormat',
  'no-reply': 'timeout',
  'not-connected': 'noConnection',
  'no-tunnel': 'proxy',
  'no-tunnel-status': 'proxy',
  refused: 'connectionRefused',
  reset: 'connectionEnded',
  'closed-early': 'connectionEnded',
  closed: 'connectionEnded',
  'closed-plain': 'connectionEnded',
  'no-route': 'noRoute',
  'no-address': 'unknownName',
  'dns-failed': 'nameServer',
  'dns-refused': 'nameServer',
  'dns-silent': 'nameServer',
  'tls-expired': 'certificateExpired',
  'tls-not-yet': 'certificateExpired',
  'tls-self-signed': 'selfSigned',
  'tls-unknown': 'selfSigned',
  'tls-chain': 'chainIncomplete',
  'tls-other-name': 'otherName',
  'tls-late': 'handshake',
  'tls-none': 'noTls',
  'tls-client': 'clientCertificate',
  'tls-refused': 'clientCertificate',
  'tls-not-accepted': 'otherCertificate',
  blocked: 'blocked',
};
/** The fault of the format of a connection test's reply, which is not about a batch. */
const OF_TESTS: readonly TextCode[] = ['array', 'object', 'value', 'empty', 'text'];

/** Advice in a few sentences, to show after the failure. `isSigned`: whether requests to the destination are signed. */
export const adviceOn = (failure: CodedText, isSigned: boolean): Localized => advice[nameOf(failure, isSigned)];

function nameOf(failure: CodedText, isSigned: boolean): Advice {
  if (isSigned && isRefusal(failure)) return 'logInSigned';
  const status = statusOf(failure);
  const ofStatus = BY_STATUS.find(([statuses]) => statuses.test(status))?.[1];
  return ofStatus ?? replyFix(failure) ?? adviceByCode(failure) ?? 'otherwise';
}

function adviceByCode(failure: CodedText): Advice | undefined {
  const { code } = failure.cause;
  if (code.startsWith('ok-') || OF_TESTS.includes(code)) return 'invalidFormat';
  return BY_CODE[code] ?? BY_CODE[failure.code] ?? (code.startsWith('tls-') ? 'tls' : undefined);
}

const STATUSES: readonly TextCode[] = ['status', 'redirect', 'not-200', 'test-status'];

/** The status of a reply that failed because of it, and more text. */
const statusOf = ({ code, values }: CodedText): string =>
  STATUSES.includes(code) ? String(values['status'] ?? values['line'] ?? '') : '';

/** Whether the advice on a failure depends on the signing secrets. */
export const isRefusal = (failure: CodedText): boolean => /^40[13]\b/.test(statusOf(failure));
