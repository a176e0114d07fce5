import { tokenInput } from '@mailhook/core';
import type { UsedToken } from '@mailhook/core';
import { invalid, parseOrThrow } from '@mailhook/platform/http-server';
import type { FormFields } from '@mailhook/platform/http-server';
import { texts } from '../../messages/texts.ts';
import { done, refused } from '../../page/outcome.ts';
import { action } from '../family.ts';
import type { CustomerActions } from '../family.ts';
import { CREATE_TOKEN, ENDS_IN_DAYS, REVOKE_TOKEN } from './tokens-section.ts';

const DAY_MS = 86_400_000;

/** The end that a form chooses, but not after that of the token with which it is made. */
function endOf({ days = '' }: FormFields, maker: UsedToken): string | undefined {
  const chosen = ENDS_IN_DAYS.find((one) => String(one) === days) ?? 0;
  if (chosen === 0) return undefined;
  const end = new Date(Date.now() + chosen * DAY_MS).toISOString();
  return maker.expiresAt !== null && maker.expiresAt < end ? maker.expiresAt : end;
}

/** The buttons of the access tokens. */
export const tokenActions: CustomerActions = {
  [CREATE_TOKEN]: action({
    audit: 'create access token',
    security: 'token_created',
    isLasting: true,
    place: 'tokens',
    run: async ({ api, account, token: maker, form }) => {
      if (maker === undefined) return refused(403, texts.tokens.notHere, { draft: form });
      const { access } = form;
      const label = (form['label'] ?? '').trim();
      if (label === '') throw invalid([{ path: 'label', message: 'is required' }]);
      const input = parseOrThrow(tokenInput, { label, access, expiresAt: endOf(form, maker) });
      const { id, token } = await api.tokens.create(account, input, maker);
      return done(texts.tokens.createdOne, { secret: token, changed: { object: id } });
    },
  }),
  [REVOKE_TOKEN]: action({
    audit: 'revoke access token',
    security: 'token_revoked',
    place: 'tokens',
    run: async ({ api, account, form }) => {
      await api.tokens.remove(account, form['id'] ?? '');
      return done(texts.tokens.revoked);
    },
  }),
};
