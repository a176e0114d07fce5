import { z } from 'zod';
import { httpUrl } from './address.ts';
import { key } from './event-fields.ts';
import { trimmedText } from './text.ts';
import { isUrl } from '../domain/is-url.ts';

export const accountInput = z.object({ name: key(trimmedText(200)) });
/**
 * An account id that the platform chooses. `.` and `..` would change the path of a URL, and the others are no plain
 * keys of an object in JavaScript.
 */
export const accountIdInput = z
  .string()
  .regex(
    /^(?!(?:\.{1,2}|__proto__|constructor|prototype)$)[\w.:-]{1,64}$/,
    'must have 1 to 64 letters, digits, `_`, `.`, `:` or `-`, and not be `.`, `..`, `__proto__`, `constructor` or ' +
      '`prototype`',
  );
export const account = z.object({ id: z.string(), name: z.string() });
export type Account = z.infer<typeof account>;

/** What an access token or a portal session may do: only see, or also change. */
export const access = z.enum(['read', 'manage']);
export type Access = z.infer<typeof access>;
const accessInput = access
  .optional()
  .describe('`read`: sees everything and changes nothing, not even by a test. Default: `manage`.');
const endInput = z.iso.datetime({ offset: true }).optional();

const anyTokenInput = z.strictObject({
  label: key(z.string().max(200)).optional(),
  expiresAt: endInput.describe('When the token ends (ISO 8601), in the future. Default: never.'),
});
/** The number of access tokens up to which a customer may make one. An operator may make more. */
export const OWN_TOKENS_MAX = 20;
export const tokenInput = anyTokenInput.extend({ access: accessInput });
/** Begins the producer tokens that the admin API makes. */
export const PRODUCER_TOKEN_PREFIX = 'mhp_';
/** Without `accounts`, the token may send events for all accounts. */
export const producerTokenInput = anyTokenInput.extend({
  accounts: z.array(z.string().min(1).max(64)).min(1).max(1000).optional(),
});
/** The reply to creating a token. No other reply shows the token itself. */
export const createdToken = z.object({ id: z.string(), token: z.string() });

/** A signing secret as the API lists it. Only the reply that creates a secret shows the secret itself. */
export const signingSecret = z.object({ id: z.string(), createdAt: z.string() });
/** The same, as pages list it. */
export interface SigningSecret extends z.infer<typeof signingSecret> {
  /** Its first characters. Absent if Mailhook cannot read it at the moment. */
  readonly start?: string;
  /** When it stops signing (ISO 8601). Null: it has no end. */
  readonly endsAt: string | null;
}
/** For how many hours a replaced secret still signs, unless the request says it. */
export const ROLL_HOURS = 24;
/** The body of the request for a secret that replaces the present one. */
export const rollInput = z.strictObject({
  hours: z.int().min(1).max(168).optional().describe('For how long the present secret still signs. Default: 24.'),
});
export const createdSecret = z.object({
  id: z.string(),
  secret: z.string().describe('whsec_ and base64. Shown this once.'),
});
/**
 * Most signing secrets per account. Two are enough for a rotation: receivers accept the old and the new one meanwhile.
 */
export const SIGNING_SECRETS_MAX = 2;

/** The pages of the settings besides the entry, as patterns. */
const PAGES = [
  'endpoints(?:/[^/?#]+)?',
  'new-endpoint',
  'deliveries',
  'dead-letters',
  'events',
  'event-types',
  'alerts',
  'secrets',
  'changes',
  'developers',
].join('|');
/** The entry of the settings and its pages, as the end of a path. */
const SETTINGS_PAGES = `(?:/(?:${PAGES}))?`;

/** Resolves the text as a browser would, so that a path like `//example.com` cannot lead to another host. */
export const isSettingsPath = (text: string): boolean =>
  text.startsWith('/') &&
  isUrl(text, 'http://settings.invalid') &&
  new RegExp(`^http://settings\\.invalid/settings/webhooks${SETTINGS_PAGES}(?:[?#]|$)`).test(
    new URL(text, 'http://settings.invalid').href,
  );

/** The languages of the customer's pages. */
export const LANGUAGES = ['en', 'pl', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The body of the request for a portal link. */
export const portalInput = z.strictObject({
  returnUrl: httpUrl.optional().describe("Where the page's link back leads to."),
  path: z
    .string()
    .max(2048)
    .refine(isSettingsPath, 'must be a path of the settings, such as /settings/webhooks/deliveries')
    .meta({ pattern: `^/settings/webhooks${SETTINGS_PAGES}(?:[?#].*)?$` })
    .optional()
    .describe('The page of the settings that the link opens.'),
  language: z
    .enum(LANGUAGES)
    .optional()
    .describe(
      'The language of the pages, kept by the browser. Default: the last choice, or the language of the browser.',
    ),
  access: accessInput,
  sessionExpiresAt: endInput.describe(
    'When the session of the link ends at the latest (ISO 8601). Default: 8 hours after the link was opened.',
  ),
});
export type PortalInput = z.infer<typeof portalInput>;
