/** Characters that end the search for the start of a local part, which goes from right to left. Not `=`, because VERP puts a recipient before it. */
const ENDS_LOCAL_PART = /[\s"<>()[\]{},;:\\/?&|`]/;
const DOMAIN_START = /[\p{L}\p{N}[]/u;
/** Several in a row count as one, so that `anna%40@example.com` is masked too. */
const AT_SIGN = /(?:@|%40)+/gi;

/**
 * Masks every string that looks like an email address: `anna.smith@example.com` becomes `a***@example.com`. The `@` may be URL-encoded.
 * Takes linear time. A sign without a domain after it, or without any text before it, is not part of an address.
 */
export function maskText(text: string): string {
  if (!text.includes('@') && !text.includes('%40')) return text;
  let masked = '';
  let copied = 0;
  let addressFrom = 0;
  for (const found of text.matchAll(AT_SIGN)) {
    const start = localPartStart(text, found.index, addressFrom);
    addressFrom = found.index + found[0].length;
    if (start === found.index || !DOMAIN_START.test(text.charAt(addressFrom))) continue;
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
