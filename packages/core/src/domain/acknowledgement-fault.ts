import { propertyOf } from './acknowledgement.ts';
import { quote } from './reply-body.ts';

/** Unconfirmed hashes that a text names. */
const HASHES_SHOWN = 3;

/**
 * Why an array leaves events unconfirmed, as the end of a sentence. `open` has their positions in `hashes`, at least
 * one.
 */
export function acknowledgementFault(
  items: readonly unknown[],
  hashes: readonly string[],
  open: readonly number[],
): string {
  if (items.length === 0) return 'the array is empty';
  const sent = new Set(hashes);
  const missing = new Set(open.map((position) => hashes[position] as string));
  let stranger: string | undefined;
  for (const item of items) {
    const hash = propertyOf(item, 'hash');
    if (typeof hash !== 'string') return hashFault(item, hash);
    if (missing.has(hash)) return statusFault(hash, propertyOf(item, 'status'));
    if (!sent.has(hash)) stranger ??= hash;
  }
  if (stranger === undefined) return `it has no item for ${listed([...missing])}`;
  return `it has no item for ${listed([...missing].slice(0, 1))}, but one for ${quote(stranger)}, which was not sent`;
}

function hashFault(item: unknown, hash: unknown): string {
  if (typeof item === 'string') return 'its items are texts instead of objects';
  return hash === undefined ? 'an item has no "hash"' : 'the "hash" of an item is not a text';
}

const statusFault = (hash: string, status: unknown): string =>
  `the "status" of ${quote(hash)} ${describeValue(status, 'the boolean true')}`;

/** Says what a JSON value is instead of `wanted`, as a predicate. Quotes short texts only. */
export function describeValue(value: unknown, wanted: string): string {
  if (value === undefined) return 'is missing';
  const found = typeof value === 'object' && value !== null ? 'an object or array' : named(value);
  return `is ${found} instead of ${wanted}`;
}

const named = (value: unknown): string =>
  typeof value === 'string'
    ? `the text ${quote(value, 20)}`
    : `${typeof value === 'number' ? 'the number ' : ''}${String(value)}`;

function listed(hashes: readonly string[]): string {
  const more = hashes.length - HASHES_SHOWN;
  return `${hashes
    .slice(0, HASHES_SHOWN)
    .map((hash) => quote(hash))
    .join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const WANTED = '[{"hash": "...", "status": true}, ...]';
const ONE_EACH = `Answer with HTTP 200 and a JSON array ${WANTED}, one item for each event.`;

/** How to fix a reply's body. Pages translate these texts. */
export const REPLY_FIXES = {
  phpMessage:
    'Set display_errors to Off in PHP, so that its messages go to the error log, and fix what this one reports.',
  page: 'Check that the address leads to your webhook handler, not to a page or a login form. Print nothing but the JSON.',
  otherText: 'Print nothing but the JSON: no log lines and no debug output.',
  brokenJson: 'Write the reply with a JSON library, and send it whole.',
  oneEach: ONE_EACH,
  oneObject: `Put the object into an array: ${WANTED}.`,
  testReply: `${ONE_EACH} {"status": "ok"} is for the connection test only.`,
  textItems: `Answer with objects that hold the hash and status true: ${WANTED}.`,
  hash: `Send back each event’s hash unchanged, as a text: ${WANTED}.`,
  statusFalse: 'Answer true for every event that you have received, also those that you do not use.',
  statusMissing: 'Give every item "status": true.',
  statusText: 'Write true without quotation marks: only the boolean confirms.',
  otherHash: 'Send back each event’s hash exactly as it came: not shortened, not in another case, not computed again.',
  confirmAll:
    'Confirm every event that you have stored, also those that you do not use and those that you know already.',
};
type ReplyFix = keyof typeof REPLY_FIXES;

/** Fixes by the words of an error about a reply's body. The first match counts. */
const BY_WORDS: readonly (readonly [RegExp, ReplyFix])[] = [
  [/PHP printed/, 'phpMessage'],
  [/HTML or XML/, 'page'],
  [/other text comes/, 'otherText'],
  [/incomplete or invalid/, 'brokenJson'],
];

const BATCH_BY_WORDS: readonly (readonly [RegExp, ReplyFix])[] = [
  ...BY_WORDS,
  [/array is empty|body is empty|not JSON|single JSON value/, 'oneEach'],
  [/it is one object/, 'oneObject'],
  [/a JSON object/, 'testReply'],
  [/texts instead of objects/, 'textItems'],
  [/"hash"/, 'hash'],
  [/is false/, 'statusFalse'],
  [/is missing/, 'statusMissing'],
  [/"status"/, 'statusText'],
  [/but one for/, 'otherHash'],
  [/no item for/, 'confirmAll'],
  [/not a JSON array of \{hash, status\}|confirms none|events unconfirmed|acknowledged with HTTP 200/, 'oneEach'],
];

/**
 * How to fix a reply, by the error of a campaign batch or of the connection test. Undefined if the error is not about
 * the reply's body.
 */
export function replyFix(error: string): ReplyFix | undefined {
  // A quoted text comes from the receiver.
  const words = error.replaceAll(/“[^”]*”/g, '');
  const isBatch = /the reply is not a JSON array|^the acknowledgement|acknowledged with HTTP 200/i.test(words);
  return (isBatch ? BATCH_BY_WORDS : BY_WORDS).find(([pattern]) => pattern.test(words))?.[1];
}
