import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';

/** What is wrong with a field, as the end of a sentence that begins with its label. */
export const faults = {
  required: 'is required',
  requiredForTest: 'is required for the test',
  again: 'must be entered again',
  now: ({ value }: { value: Content }) => html`is now “${value}”`,
  emptyNow: 'is now empty',
  empty: 'is empty',
  notAbsolute: 'must be an absolute URL that starts with http:// or https://',
  spaces: 'must not contain spaces or control characters',
  unseen: ({ name, position }: { name: string; position: string }) =>
    `must not contain the invisible character ${name}: see position ${position}`,
  half: ({ name, position }: { name: string; position: string }) =>
    `must not contain half a surrogate pair, ${name}: see position ${position}`,
  notUrl: 'is not a valid URL',
  login: 'must not contain a user name or password',
  port: ({ port }: { port: string }) => `must not use port ${port}`,
  tooLong: ({ max }: { max: string }) => `must be at most ${max} characters`,
  notPublic: 'must not lead to a private or reserved address; use a public address',
  notHttps: 'must begin with https://; let your server answer over TLS first',
  notEmail: 'must be an e-mail address, such as ops@example.com',
  notNumber: 'must be a number',
  notWhole: 'must be a whole number',
  tooSmall: ({ min }: { min: string }) => `must be at least ${min}`,
  tooLarge: ({ max }: { max: string }) => `must be at most ${max}`,
  headerName: 'is not a header name: use letters, digits and -, at most 100 characters',
  headerReserved: 'is set by Mailhook or by HTTP itself, and cannot be changed',
  headerValue: 'must have 1 to 4096 ASCII characters, without line breaks and without spaces at its ends',
  headerWithoutValue: 'has no value after the colon; to keep the stored value, enter the name alone',
  headerNotStored: 'has no stored value to keep: enter the value',
  headersTooMany: ({ max }: { max: string }) => `must have at most ${max} headers`,
  headersTooLong: ({ max }: { max: string }) => `must have at most ${max} characters in all`,
  headersLogin: 'must not repeat authorization, which is the login above',
};
