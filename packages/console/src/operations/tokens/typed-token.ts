import type { FormFields } from '@mailhook/platform/http-server';
import { said } from '../family.ts';
import type { Said } from '../../page/outcome.ts';

/** What a form says of a new token. Browsers send a time without a zone, which the page says is UTC. */
export const typedToken = ({ label = '', expiresAt = '' }: FormFields): object => ({
  label,
  ...(expiresAt !== '' && { expiresAt: `${expiresAt}${expiresAt.length === 16 ? ':00' : ''}Z` }),
});

/** Shows a new token. */
export const newToken = (form: FormFields, { id, token }: { readonly id: string; readonly token: string }): Said =>
  said(form, 'The new token, shown this once. Copy it now:', {
    secret: token,
    changed: { account: form['account'], object: id },
  });
