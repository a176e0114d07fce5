import { producerTokenInput } from '@mailhook/core';
import type { OperatorServices } from '@mailhook/core';
import { parseOrThrow } from '@mailhook/platform/http-server';
import { html } from '../../html/markup.ts';
import type { Markup } from '../../html/markup.ts';
import { action, contextOf, needed, page, said } from '../family.ts';
import { pageUrl, TOKEN_TABS } from '../navigation.ts';
import { adminTokens, allAccessTokens, newProducerToken, producerTokens } from './content.ts';
import { newToken, typedToken } from './typed-token.ts';
import { ACCOUNTS_OF_ROWS } from '../view.ts';

type Tab = (typeof TOKEN_TABS)[number][0];

const tabOf = (wanted: string | undefined): Tab => (TOKEN_TABS.find(([name]) => name === wanted) ?? TOKEN_TABS[0])[0];

export const tokensPage = page({
  path: '/tokens',
  name: 'tokens',
  asks: ['tab', 'cursor'],
  load: ({ services, question: { query } }) => ({ content: contentOf(services, tabOf(query.tab), query.cursor) }),
  show: ({ content, question: { query } }, outcome) => ({
    title: 'Tokens',
    lead: 'Who may send events, use the API, and operate this installation.',
    tabs: TOKEN_TABS.map(([name, text]) => ({
      url: pageUrl('tokens', '', { tab: name }),
      text,
      isCurrent: name === tabOf(query.tab),
    })),
    content: html`${content}${tabOf(query.tab) === '' && newProducerToken(outcome)}`,
  }),
  actions: {
    'create-producer-token': action({
      audit: 'create producer token',
      security: 'token_created',
      place: 'tokens',
      run: async ({ services, form }) => {
        const ids = (form['accounts'] ?? '').split(/[\s,]+/).filter((id) => id !== '');
        const accounts = ids.length > 0 ? ids : undefined;
        const input = parseOrThrow(producerTokenInput, { ...typedToken(form), accounts });
        return newToken({}, await services.producerTokens.create(input));
      },
    }),
    'revoke-producer-token': action({
      audit: 'revoke producer token',
      security: 'token_revoked',
      input: (form) => needed(form, 'token'),
      run: async ({ services, form, input: { token } }) => {
        await services.producerTokens.remove(token);
        return said(form, 'The token is revoked.', { changed: { object: token } });
      },
    }),
  },
});

async function contentOf(services: OperatorServices, tab: Tab, cursor: string | undefined): Promise<Markup> {
  if (tab === 'admin') return adminTokens(await services.adminTokens());
  if (tab === '') {
    const tokens = await services.producerTokens.list();
    const names = await services.accounts.namesOf(tokens.flatMap(({ accounts }) => accounts ?? []));
    return producerTokens(tokens, contextOf(names));
  }
  const { items, nextCursor } = await services.accounts.list({ limit: ACCOUNTS_OF_ROWS, cursor });
  const listed = await Promise.all(
    items.map(async ({ id, name }) => ({
      account: { id, name: name ?? id },
      tokens: await services.tokens.list(id),
    })),
  );
  const names = new Map(listed.map(({ account: { id, name } }) => [id, name]));
  return allAccessTokens({ items: listed, nextCursor }, contextOf(names));
}
