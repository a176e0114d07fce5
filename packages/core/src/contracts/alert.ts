import { z } from 'zod';
import { LANGUAGES } from './account.ts';

const language = z.enum(LANGUAGES);

/** The most addresses of an account that get alerts. */
export const ALERT_ADDRESSES_MAX = 5;

/** An international domain in ASCII, as mail servers need it. Other texts are unchanged. */
function withAsciiDomain(email: string): string {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1);
  if (at === -1 || /^[\x21-\x7e]*$/.test(domain) || !URL.canParse(`http://${domain}`)) return email;
  const { host, hostname } = new URL(`http://${domain}`);
  return host === hostname && !domain.includes('/') ? `${email.slice(0, at)}@${hostname}` : email;
}

/** The pattern of zod, with international top-level domains in ASCII. */
const EMAIL =
  /^(?!\.)(?!.*\.\.)[A-Za-z0-9_'+\-.]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+(?:[A-Za-z]{2,}|xn--[A-Za-z0-9-]+)$/;

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
});
export type AlertAddress = z.infer<typeof alertAddress>;
