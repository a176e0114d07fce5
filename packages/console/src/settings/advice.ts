import { replyFix } from '@mailhook/core';
import type { Localized } from '../html/markup.ts';
import { texts } from '../messages/texts.ts';

type Advice = keyof typeof texts.advice;

/** Advice by the status of a reply. The first match counts. */
const BY_STATUS: readonly (readonly [RegExp, Advice])[] = [
  [/^40[13]/, 'logIn'],
  [/^404/, 'notFound'],
  [/^405/, 'noPost'],
  [/^410/, 'gone'],
  [/^413/, 'tooLarge'],
  [/^429/, 'tooMany'],
  [/^30[12378]/, 'redirect'],
  [/^3/, 'otherRedirect'],
  [/^4/, 'refused'],
  [/^5/, 'serverError'],
];

/** Advice on all other failures, by the words of Mailhook's error. The first match counts. */
const BY_WORDS: readonly (readonly [RegExp, Advice])[] = [
  [/counts as delivered/, 'webPage'],
  [/^Mailhook could not send/, 'notSent'],
  [/body is longer than/, 'longReply'],
  [/cannot be decompressed|Content-Encoding/, 'compression'],
  [/not HTTP|could not be read/, 'notHttp'],
  [/invalid format/, 'invalidFormat'],
  [/did not answer in time/, 'timeout'],
  [/no connection was made/, 'noConnection'],
  [/proxy could not connect/, 'proxy'],
  [/connection refused/, 'connectionRefused'],
  [/connection reset|closed before|closed without/, 'connectionEnded'],
  [/no route/, 'noRoute'],
  [/name does not resolve/, 'unknownName'],
  [/name server/, 'nameServer'],
  [/certificate has expired|not valid yet/, 'certificateExpired'],
  [/self-signed|unknown authority/, 'selfSigned'],
  [/chain is incomplete/, 'chainIncomplete'],
  [/for another name/, 'otherName'],
  [/handshake did not end/, 'handshake'],
  [/not speak TLS/, 'noTls'],
  [/client certificate/, 'clientCertificate'],
  [/certificate is not accepted/, 'otherCertificate'],
  [/TLS/, 'tls'],
  [/^blocked|must not lead/i, 'blocked'],
];

/**
 * The status that a failure's text begins with: "Request error (curl) 404 - ...", "the receiver answered HTTP 404 ...".
 */
const STATUS = /^(?:Request error \(curl\)|the receiver answered HTTP) (\d{3})\b/i;

/**
 * Advice in a few sentences, to show after the failure's text. `isSigned`: whether requests to the destination are
 * signed.
 */
export const adviceOn = (failure: string, isSigned: boolean): Localized => texts.advice[nameOf(failure, isSigned)];

function nameOf(failure: string, isSigned: boolean): Advice {
  if (isSigned && isRefusal(failure)) return 'logInSigned';
  const status = STATUS.exec(failure)?.[1] ?? '';
  const ofStatus = BY_STATUS.find(([statuses]) => statuses.test(status))?.[1];
  return ofStatus ?? replyFix(failure) ?? BY_WORDS.find(([words]) => words.test(failure))?.[1] ?? 'otherwise';
}

/** Whether the advice on a failure depends on the signing secrets. */
export const isRefusal = (failure: string): boolean => /^40[13]$/.test(STATUS.exec(failure)?.[1] ?? '');
