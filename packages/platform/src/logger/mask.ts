import { isUrl } from '@mailhook/core';
/**
 * Characters that end the search for the start of a local part, which goes from right to left. Not `=`, because VERP
 * puts a recipient before it.
 */
const ENDS_LOCAL_PART = /[\s"<>()[\],;:\\]/;
const DOMAIN_START = /[\p{L}\p{N}[]/u;
/**
 * The sign, also encoded for URLs, HTML and JSON, or several times. Several in a row count as one, so that
 * `anna%40@example.com` is masked too.
 */
const AT_SIGN = /(?:[@\uff20]|%(?:25)*40|&(?:amp;)*(?:#0*64|#x0*40|commat);|\\u0040)+/gi;
/** The name of a package, as in `node_modules/@types/node`. */
const PACKAGE_SCOPE = /^[\w-]+\//;

/** What stands for a masked value. */
export const MASKED = '***';

/** Fields that hold recipient data wherever they are. */
const RECIPIENT_FIELDS: ReadonlySet<string> = new Set(['ip', 'userAgent', 'url', 'email']);
/** Objects and lists of an event that hold what its sender put into them. */
const FREE_FIELDS: ReadonlySet<string> = new Set(['metadata', 'data', 'tags']);
const SERIALIZED_FREE_FIELD = /"(?:metadata|data|tags)"\s*:\s*(?=[[{])/g;
/** A text of JSON, whose end may be cut off, or a bracket. */
const TEXT_OR_BRACKET = /"(?:[^"\\]|\\.)*"?|[[{]|[\]}]/gs;
const WHOLE_ADDRESS = /^[^\s@]+@[^\s@]+$/;
/** A field with recipient data in serialized JSON, whose end may be cut off. */
const SERIALIZED_FIELD = /"(ip|userAgent|url|email|reason)"(\s*:\s*)"([^"\\]*(?:\\.[^"\\]*)*)/gs;

export const hasRecipientData = (field: string): boolean => RECIPIENT_FIELDS.has(field);
/** Whether every value in the field, at any depth, may say something about a recipient. */
export const isFreeField = (field: string): boolean => FREE_FIELDS.has(field);

/**
 * Masks a text that is the value of a field: the whole text if the field holds recipient data, or the email addresses
 * in it.
 */
export const maskField = (field: string, value: string): string =>
  hasRecipientData(field) && !(field === 'email' && WHOLE_ADDRESS.test(value)) ? MASKED : maskText(value);

/**
 * Masks every string that looks like an email address: `anna.smith@example.com` becomes `a***@example.com`. The `@` may
 * be encoded. Also masks the recipient data in a serialized event. Takes linear time. A sign without a domain after it,
 * or without any text before it, is not part of an address.
 */
export const maskText = (text: string): string =>
  maskAddresses(
    maskFreeFields(text).replace(
      SERIALIZED_FIELD,
      (_all, field: string, colon: string, value: string) =>
        `"${field}"${colon}"${field === 'email' ? maskField(field, value) : MASKED}`,
    ),
  );

function maskFreeFields(text: string): string {
  let masked = '';
  let copied = 0;
  for (const found of text.matchAll(SERIALIZED_FREE_FIELD)) {
    const start = found.index + found[0].length;
    if (found.index < copied) continue;
    masked += `${text.slice(copied, start)}"${MASKED}"`;
    copied = endOfValue(text, start);
  }
  return masked + text.slice(copied);
}

/** The end of the object or list at `start`, or of a text that was cut in it. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  TEXT_OR_BRACKET.lastIndex = start;
  for (let found = TEXT_OR_BRACKET.exec(text); found !== null; found = TEXT_OR_BRACKET.exec(text)) {
    if (found[0] === '[' || found[0] === '{') depth += 1;
    else if (found[0] === ']' || found[0] === '}') depth -= 1;
    if (depth === 0) return TEXT_OR_BRACKET.lastIndex;
  }
  return text.length;
}

/** The origin of a receiver's address. The rest often is a secret, also its first segment. */
export function maskReceiverAddress(address: string): string {
  if (!isUrl(address)) return address === '' ? '' : MASKED;
  const { origin, href } = new URL(address);
  return href === `${origin}/` ? href : `${origin}/${MASKED}`;
}

function maskAddresses(text: string): string {
  let masked = '';
  let copied = 0;
  let addressFrom = 0;
  for (const found of text.matchAll(AT_SIGN)) {
    const start = localPartStart(text, found.index, addressFrom);
    addressFrom = found.index + found[0].length;
    if (start === found.index || !DOMAIN_START.test(text.charAt(addressFrom))) continue;
    if (text.charAt(found.index - 1) === '/' && PACKAGE_SCOPE.test(text.slice(addressFrom, addressFrom + 100)))
      continue;
    masked += `${text.slice(copied, start)}${String.fromCodePoint(text.codePointAt(start) ?? 42)}***`;
    copied = found.index;
  }
  return masked + text.slice(copied);
}

function localPartStart(text: string, at: number, from: number): number {
  if (text.charAt(at - 1) === '"') return quotedStart(text, at, from);
  let start = at;
  while (start > from && !ENDS_LOCAL_PART.test(text.charAt(start - 1))) start -= 1;
  while (start < at && text.charAt(start) === "'") start += 1;
  return start;
}

/** Finds the start of a quoted local part, as in `"anna smith"@example.com`. */
function quotedStart(text: string, at: number, from: number): number {
  const opening = text.lastIndexOf('"', at - 2);
  return opening >= from && opening < at - 1 ? opening + 1 : at;
}
