import { isUtf8 } from 'node:buffer';

const REPLACEMENT = '\uFFFD';
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT);
/** The last byte of U+FFFC. */
const OTHER_LAST_BYTE = 0xbc;

/**
 * Whether a value holds U+FFFD, in a text or in the name of a field. Redis clients decode bytes that are not UTF-8 as
 * this character, which a producer may also send.
 */
export function holdsReplacement(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(REPLACEMENT);
  if (typeof value !== 'object' || value === null) return false;
  for (const name in value) {
    if (name.includes(REPLACEMENT) || holdsReplacement((value as Readonly<Record<string, unknown>>)[name])) return true;
  }
  return false;
}

/**
 * The positions of the events that have bytes that are not UTF-8, in the data of an `email-events` job. First replaces
 * each U+FFFD in valid UTF-8 or as an escape by another character, also in `bytes`. Each remaining one stands for
 * wrong bytes.
 */
export function undecodedEvents(bytes: Buffer): number[] {
  if (isUtf8(bytes)) return [];
  for (let at = bytes.indexOf(REPLACEMENT_BYTES); at !== -1; at = bytes.indexOf(REPLACEMENT_BYTES, at + 1))
    bytes[at + 2] = OTHER_LAST_BYTE;
  const text = bytes.toString('utf8').replaceAll(/\\u[fF]{3}[dD]/g, String.raw`\ufffc`);
  const { events } = JSON.parse(text) as { readonly events: readonly unknown[] };
  return events.flatMap((event, position) => (holdsReplacement(event) ? [position] : []));
}
