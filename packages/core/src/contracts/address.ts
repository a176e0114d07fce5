import { z } from 'zod';
import { isUrl } from '../domain/is-url.ts';

/** Longest accepted address of a receiver, in characters. */
export const ADDRESS_MAX_CHARS = 2048;

/**
 * Format characters, fillers and other characters that nobody sees, and halves of surrogate pairs, which become
 * another character in UTF-8.
 */
const UNSEEN = /[\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]/u;

/** Names the first character that nobody sees in a URL, as the end of a sentence. Returns undefined without one. */
export function unseenFault(text: string): string | undefined {
  const found = UNSEEN.exec(text);
  if (found === null) return undefined;
  const name = `U+${(found[0].codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`;
  const what = found[0].isWellFormed() ? `the invisible character ${name}` : `half a surrogate pair, ${name}`;
  return `must not contain ${what}: see position ${found.index}`;
}

/**
 * Describes the fault of a receiver's address, as the end of a sentence. Returns undefined for a valid absolute http(s)
 * URL.
 */
export function addressFault(address: string): string | undefined {
  // First, because the text looks as if it had no other fault.
  const unseen = unseenFault(address);
  if (unseen !== undefined) return unseen;
  if (!/^https?:\/\/[^/?#]/i.test(address)) return 'must be an absolute URL that starts with http:// or https://';
  // The URL parser silently drops tabs and line breaks, so requests would go to another address than the saved one.
  if (/[\s\p{Cc}]/u.test(address)) return 'must not contain spaces or control characters';
  if (!isUrl(address)) return 'is not a valid URL';
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  return url.port === '0' ? 'must not use port 0' : undefined;
}

/** Whether a receiver's address is https. */
export const hasHttps = (address: string): boolean => /^https:/i.test(address);

/**
 * An address as its requests have it: parsing changes `/a/../b`, `\\` and many characters, and a request has no
 * fragment. Only the slash after a host alone stays as it was typed. A text that is no URL is returned unchanged.
 */
export function addressAsSent(address: string): string {
  if (!isUrl(address)) return address;
  const { origin, pathname, search } = new URL(address);
  const isHostAlone = /^https?:\/\/[^/?#\\]+(#.*)?$/i.test(address);
  return isHostAlone ? origin : origin + pathname + search;
}

/** The part of `addressFault` that documents can express. The scheme may be in upper case. */
const PATTERN = '^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@\\s]+([/?#]\\S*)?$';

/** An absolute http(s) URL of at most 2048 characters, as it was typed. */
export const httpUrl = z
  .string()
  .max(ADDRESS_MAX_CHARS, `must be at most ${ADDRESS_MAX_CHARS} characters`)
  .superRefine((value, context) => {
    const fault = addressFault(value);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  })
  .meta({ pattern: PATTERN });

/** A receiver's address, as it is sent. */
export const address = httpUrl
  .overwrite(addressAsSent)
  .refine((value) => value.length <= ADDRESS_MAX_CHARS, `must be at most ${ADDRESS_MAX_CHARS} characters as it is sent`)
  .meta({
    description:
      "A receiver's address: an absolute http or https URL without user name and password. Saved as it is sent.",
    pattern: PATTERN,
  });
