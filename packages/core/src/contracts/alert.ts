import { z } from 'zod';
import { LANGUAGES } from './account.ts';
import { httpUrl } from './address.ts';
import { sentenceField } from './sentence-field.ts';
import { isUrl } from '../domain/is-url.ts';

const language = z.enum(LANGUAGES);

/** The most addresses of an account that get alerts. */
export const ALERT_ADDRESSES_MAX = 5;

/** An international domain in ASCII, as mail servers need it. Other texts are unchanged. */
function withAsciiDomain(email: string): string {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1);
  if (at === -1 || /^[\x21-\x7e]*$/.test(domain) || !isUrl(`http://${domain}`)) return email;
  const { host, hostname } = new URL(`http://${domain}`);
  return host === hostname && !domain.includes('/') ? `${email.slice(0, at)}@${hostname}` : email;
}

/** The pattern of zod, with international top-level domains in ASCII. */
const EMAIL =
  /^(?!\.)(?!.*\.\.)[A-Za-z0-9_'+\-.]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+(?:[A-Za-z]{2,}|xn--[A-Za-z0-9-]+)$/;

/** What an alert says of a destination. */
export const ALERT_KINDS = ['failing', 'recovered', 'deactivated'] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** The most webhooks of an account that get alerts. */
export const ALERT_WEBHOOKS_MAX = 5;

const choice = {
  kinds: z.array(z.enum(ALERT_KINDS)).describe('What it gets. Empty: nothing.'),
  muted: z
    .array(z.string().max(64))
    .max(500)
    .describe('The ids of the destinations whose alerts it does not get, or campaign.'),
};

/** What a reader of alerts gets. */
export const alertChoice = z.object(choice);
export const alertChoiceInput = z.object(choice);
export type AlertChoice = z.infer<typeof alertChoice>;

export const alertFailure = z.object({ time: z.string().describe('ISO 8601.'), reason: sentenceField() });

const lastFailure = alertFailure
  .nullable()
  .describe('Of the last 7 days: why its last alert could not be sent. null: the last one was sent.');

export const alertWebhookInput = z.object({
  address: httpUrl.describe('Gets a POST with {"text": "…"}, as incoming webhooks of Slack take it.'),
  language: language.optional().describe('Of the alerts. Default: `en`.'),
});
export type AlertWebhookInput = z.infer<typeof alertWebhookInput>;

/** A webhook that gets a message when a destination of the account fails, recovers or is switched off. */
export const alertWebhook = z.object({
  id: z.string(),
  address: z.string().describe('Its origin and its end, because the rest of it is a secret.'),
  language,
  createdAt: z.string(),
  ...choice,
  lastFailure,
});
export type AlertWebhook = z.infer<typeof alertWebhook>;

export const alertTestResult = z.object({
  success: z.boolean(),
  reason: sentenceField().optional().describe('Why it failed, in a sentence.'),
});
export type AlertTestResult = z.infer<typeof alertTestResult>;

export const alertAddressInput = z.object({
  email: z
    .string()
    .trim()
    .overwrite(withAsciiDomain)
    .max(254)
    .pipe(z.email({ pattern: EMAIL, error: 'must be an e-mail address, such as ops@example.com' }))
    .describe('Who gets the alerts. Mailhook asks this address to confirm first.'),
  language: language.optional().describe('Of the e-mails. Default: `en`.'),
});
export type AlertAddressInput = z.infer<typeof alertAddressInput>;

/** An address that gets an e-mail when a webhook of the account fails, recovers or is switched off. */
export const alertAddress = z.object({
  id: z.string(),
  email: z.string(),
  language,
  confirmed: z.boolean().describe('Whether its owner has confirmed it. Until then it gets no alerts.'),
  createdAt: z.string(),
  ...choice,
  lastFailure,
});
export type AlertAddress = z.infer<typeof alertAddress>;
