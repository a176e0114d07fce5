/** What is known of a reply whose head could not be read. */
export interface UnreadHead {
  /** What came first of it, if anything came. */
  readonly bytes: Buffer | undefined;
  readonly isHttps: boolean;
  /** Whether it answers the first request of its connection. A receiver may close an older connection at any time. */
  readonly isFirst: boolean;
}

/** By the reasons of undici's parser (llhttp). The first match counts. */
const BY_REASON: readonly (readonly [RegExp, string])[] = [
  [/chunk data/, 'a chunk is longer than its size says'],
  [/chunk (size|extension)|in chunk/, 'the size of a chunk is not a number'],
  [/xpected CR/, 'its lines end without CR'],
  [/xpected LF/, 'its lines end without LF'],
  [/Content-Length already/, 'it has Content-Length twice'],
  [
    /Content-Length.*Transfer-Encoding|Transfer-Encoding.*Content-Length/,
    'it has both Content-Length and Transfer-Encoding',
  ],
  [/Content-Length/, 'its Content-Length is not one number'],
  [/Transfer-Encoding/, 'its Transfer-Encoding is invalid'],
  [/whitespace after header value/, 'a header goes on in the next line'],
  [/header (field char|token)/, 'the name of a header has an invalid character'],
  [/header value/, 'the value of a header has an invalid character'],
  [/status/, 'its status is not a number from 100 to 999'],
  [/version|Expected dot/, 'its version is not 1.0 or 1.1'],
];

const isTls = (data: string): boolean => [20, 21, 22, 23].includes(data.charCodeAt(0)) && data.charCodeAt(1) === 3;
/** Whether it begins with the frame of settings, which is the first one of a server. */
const isHttp2 = (data: string): boolean => data.charCodeAt(0) === 0 && data.charCodeAt(3) === 4;

/** Says what data is that does not begin like HTTP. */
export function notHttpFault(data: string): string {
  if (isTls(data)) return 'it is TLS, so the address must begin with https://';
  return isHttp2(data) ? 'it is HTTP/2' : 'it does not begin with HTTP/1.1';
}

/** Says why undici's parser refuses a reply, as the end of a sentence. `message` and `data` are the error's. */
export function parserFault(message: string, data: string): string {
  if (isTls(data) || isHttp2(data) || /Expected HTTP\//.test(message)) return notHttpFault(data);
  const reason = /\((.*)\)$/.exec(message)?.[1] ?? message;
  return BY_REASON.find(([words]) => words.test(reason))?.[1] ?? reason.slice(0, 100);
}

/**
 * Says what is wrong in a head that has a Content-Length. undici then reports another length of the body, and hides the
 * cause.
 */
export function lengthFault(head: Buffer): string {
  const lines = head.toString('latin1').split(/\r?\n\r?\n/, 1)[0] ?? '';
  const lengths = lines.match(/^content-length:.*$/gim) ?? [];
  if (lengths.length > 1) return 'it has Content-Length twice';
  if (/^transfer-encoding:/im.test(lines)) return 'it has both Content-Length and Transfer-Encoding';
  if (!/^content-length:[ \t]*\d{1,15}[ \t]*\r?$/im.test(lines)) return 'its Content-Length is not one number';
  return /[^\r]\n/.test(head.toString('latin1', 0, lines.length + 2))
    ? 'its lines end without CR'
    : 'a header line is invalid';
}
