import { propertyOf } from './acknowledgement.ts';
import { coded } from './coded-text.ts';
import type { CodedText, TextCode } from './coded-text.ts';
import { quote } from './reply-body.ts';
import type { ReplyFix } from './reply-fixes.ts';

/** Unconfirmed hashes that a text names. */
const HASHES_SHOWN = 3;

/** Why an array leaves events unconfirmed. `open` has their positions in `hashes`, at least one. */
export function acknowledgementFault(
  items: readonly unknown[],
  hashes: readonly string[],
  open: readonly number[],
): CodedText {
  if (items.length === 0) return coded('no-items');
  const sent = new Set(hashes);
  const missing = new Set(open.map((position) => hashes[position] as string));
  let stranger: string | undefined;
  for (const item of items) {
    const hash = propertyOf(item, 'hash');
    if (typeof hash !== 'string') return hashFault(item, hash);
    if (missing.has(hash)) return valueFault('status', propertyOf(item, 'status'), quote(hash));
    if (!sent.has(hash)) stranger ??= hash;
  }
  const named = (count: number): string =>
    [...missing]
      .slice(0, count)
      .map((hash) => quote(hash))
      .join(', ');
  if (stranger !== undefined) return coded('other-item', { hash: named(1), other: quote(stranger) });
  const more = missing.size - HASHES_SHOWN;
  const hashesShown = named(HASHES_SHOWN);
  return more > 0 ? coded('no-item-more', { hashes: hashesShown, more }) : coded('no-item', { hashes: hashesShown });
}

function hashFault(item: unknown, hash: unknown): CodedText {
  if (typeof item === 'string') return coded('text-items');
  return coded(hash === undefined ? 'no-hash' : 'hash-type');
}

/**
 * Says what a `"status"` is in place of the wanted one: of an item of an acknowledgement (`status`), or of the reply to
 * a connection test (`ok`). Quotes short texts only.
 */
export function valueFault(of: 'status' | 'ok', value: unknown, hash = ''): CodedText {
  if (value === undefined) return coded(`${of}-missing`, { hash });
  if (typeof value === 'object' && value !== null) return coded(`${of}-object`, { hash });
  if (typeof value === 'string') return coded(`${of}-text`, { hash, quote: quote(value, 20) });
  if (typeof value === 'number') return coded(`${of}-number`, { hash, number: String(value) });
  return of === 'ok'
    ? coded('ok-value', { value: JSON.stringify(value) })
    : coded(value === null ? 'status-null' : 'status-false', { hash });
}

/** Fixes by what is wrong with a reply's body. */
const FIXES: Partial<Record<TextCode, ReplyFix>> = {
  'php-before': 'phpMessage',
  php: 'phpMessage',
  'html-before': 'page',
  'titled-html-before': 'page',
  html: 'page',
  'titled-html': 'page',
  'text-before': 'otherText',
  'broken-json': 'brokenJson',
};

const BATCH_FIXES: Partial<Record<TextCode, ReplyFix>> = {
  ...FIXES,
  'no-items': 'oneEach',
  empty: 'oneEach',
  text: 'oneEach',
  value: 'oneEach',
  'one-object': 'oneObject',
  object: 'testReply',
  'text-items': 'textItems',
  'no-hash': 'hash',
  'hash-type': 'hash',
  'status-missing': 'statusMissing',
  'status-object': 'statusText',
  'status-text': 'statusText',
  'status-number': 'statusText',
  'status-null': 'statusText',
  'status-false': 'statusFalse',
  'other-item': 'otherHash',
  'no-item': 'confirmAll',
  'no-item-more': 'confirmAll',
  'not-200': 'oneEach',
};
const OF_BATCHES: readonly TextCode[] = ['not-array', 'confirms-not', 'confirms-none', 'confirms-some', 'not-200'];

/**
 * How to fix a reply, by the error of a campaign batch or of the connection test. Undefined if the error is not about
 * the reply's body.
 */
export const replyFix = (error: CodedText): ReplyFix | undefined =>
  (OF_BATCHES.includes(error.code) ? BATCH_FIXES : FIXES)[error.cause.code];
