import { z } from 'zod';

/** The languages of e-mails. */
export const ALERT_LANGUAGES = ['en', 'pl', 'de'] as const;
const alertLanguage = z.enum(ALERT_LANGUAGES);
export type AlertLanguage = (typeof ALERT_LANGUAGES)[number];

/** The most addresses of an account that get alerts. */
export const ALERT_ADDRESSES_MAX = 5;

export const alertAddressInput = z.object({
  email: z
    .string()
    .trim()
    .max(254)
    .pipe(z.email('must be an e-mail address, such as ops@example.com'))
    .describe('Who gets the alerts. Mailhook asks this address to confirm first.'),
  language: alertLanguage.optional().describe('Of the e-mails. Default: `en`.'),
});
export type AlertAddressInput = z.infer<typeof alertAddressInput>;

/** An address that gets an e-mail when a webhook of the account fails, recovers or is switched off. */
export const alertAddress = z.object({
  id: z.string(),
  email: z.string(),
  language: alertLanguage,
  confirmed: z.boolean().describe('Whether its owner has confirmed it. Until then it gets no alerts.'),
  createdAt: z.string(),
});
export type AlertAddress = z.infer<typeof alertAddress>;
