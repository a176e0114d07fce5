import { coded } from '@mailhook/core';
import type { CodedText, PlainCode } from '@mailhook/core';

/** What is known of a reply whose head could not be read. */
export interface UnreadHead {
  /** What came first of it, if anything came. */
  readonly bytes: Buffer | undefined;
  readonly isHttps: boolean;
  /** Whether it answers the first request of its connection. A receiver may close an older connection at any time. */
  readonly isFirst: boolean;
}

/** By the reasons of undici's parser (llhttp). The first match counts. */
const BY_REASON: readonly (readonly [RegExp, PlainCode])[] = [
  [/chunk data/, 'long-chunk'],
  [/chunk (size|extension)|in chunk/, 'chunk-size'],
  [/xpected CR/, 'no-cr'],
  [/xpected LF/, 'no-lf'],
  [/Content-Length already/, 'two-lengths'],
  [/Content-Length.*Transfer-Encoding|Transfer-Encoding.*Content-Length/, 'length-and-coding'],
  [/Content-Length/, 'bad-length'],
  [/Transfer-Encoding/, 'bad-coding'],
  [/whitespace after header value/, 'folded-header'],
  [/header (field char|token)/, 'header-name'],
  [/header value/, 'header-value'],
  [/status/, 'status-number-range'],
  [/version|Expected dot/, 'http-version'],
];

const isTls = (data: string): boolean => [20, 21, 22, 23].includes(data.charCodeAt(0)) && data.charCodeAt(1) === 3;
/** Whether it begins with the frame of settings, which is the first one of a server. */
const isHttp2 = (data: string): boolean => data.charCodeAt(0) === 0 && data.charCodeAt(3) === 4;

/** Says what data is that does not begin like HTTP. */
export function notHttpFault(data: string): CodedText {
  if (isTls(data)) return coded('is-tls');
  return coded(isHttp2(data) ? 'is-http2' : 'no-status-line');
}

/** Says why undici's parser refuses a reply. `message` and `data` are the error's. */
export function parserFault(message: string, data: string): CodedText {
  if (isTls(data) || isHttp2(data) || /Expected HTTP\//.test(message)) return notHttpFault(data);
  const reason = /\((.*)\)$/.exec(message)?.[1] ?? message;
  const known = BY_REASON.find(([words]) => words.test(reason))?.[1];
  return known === undefined ? coded('other', { text: reason.slice(0, 100) }) : coded(known);
}

/**
 * Says what is wrong in a head that has a Content-Length. undici then reports another length of the body, and hides the
 * cause.
 */
export function lengthFault(head: Buffer): CodedText {
  const lines = head.toString('latin1').split(/\r?\n\r?\n/, 1)[0] ?? '';
  const lengths = lines.match(/^content-length:.*$/gim) ?? [];
  if (lengths.length > 1) return coded('two-lengths');
  if (/^transfer-encoding:/im.test(lines)) return coded('length-and-coding');
  if (!/^content-length:[ \t]*\d{1,15}[ \t]*\r?$/im.test(lines)) return coded('bad-length');
  return coded(/[^\r]\n/.test(head.toString('latin1', 0, lines.length + 2)) ? 'no-cr' : 'header-line');
}
