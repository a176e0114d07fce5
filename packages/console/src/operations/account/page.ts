import { OPERATIONS_ACCOUNT, portalInput, tokenInput } from '@mailhook/core';
import type { AccountDetails, OperatorServices } from '@mailhook/core';
import { parseOrThrow } from '@mailhook/platform/http-server';
import { html } from '../../html/markup.ts';
import type { Markup } from '../../html/markup.ts';
import { accountDestinations, accountLimits, accountOverview } from './content.ts';
import { shareBadge } from '../accounts/content.ts';
import { auditTable } from '../audit/content.ts';
import { action, checkTyped, contextOf, needed, page, said } from '../family.ts';
import { ACCOUNT_TABS, accountUrl, pageUrl } from '../navigation.ts';
import { accessTokens, newAccessToken } from '../tokens/content.ts';
import { newToken, typedToken } from '../tokens/typed-token.ts';
import { ROWS } from '../view.ts';

type Tab = (typeof ACCOUNT_TABS)[number][0];

/** The account of the operations webhook has no tokens. */
const tabsOf = (id: string) => ACCOUNT_TABS.filter(([name]) => name !== 'tokens' || id !== OPERATIONS_ACCOUNT);

const tabOf = (id: string, wanted: string | undefined): Tab =>
  (tabsOf(id).find(([name]) => name === wanted) ?? ACCOUNT_TABS[0])[0];

export const accountPage = page({
  path: '/accounts/:id',
  name: 'accounts',
  asks: ['tab'],
  load: ({ services, question: { id, query } }) => {
    const account = services.accounts.find(id);
    return { account, content: account.then((found) => contentOf(services, found, tabOf(id, query.tab))) };
  },
  show: ({ account, content, question: { id, query } }, outcome) => ({
    title: account.name ?? id,
    above: [pageUrl('accounts'), 'Accounts'],
    beside: shareBadge(account),
    lead: html`<code>${id}</code>`,
    tabs: tabsOf(id).map(([name, text]) => ({
      url: accountUrl(id, name === 'overview' ? '' : name),
      text,
      isCurrent: name === tabOf(id, query.tab),
    })),
    content: html`${content}${tabOf(id, query.tab) === 'tokens' && newAccessToken(id, outcome)}`,
  }),
  actions: {
    'delete-account': action({
      audit: 'delete account',
      input: (form) => needed(form, 'account'),
      run: async ({ services, form, input: { account } }) => {
        checkTyped(form, account);
        await services.accountChanges.startDeletion(account);
        return said(form, 'The account is being deleted. Its data follows step by step.', {
          next: { url: pageUrl('accounts') },
          changed: { account },
        });
      },
    }),
    'open-as-customer': action({
      audit: 'create portal link',
      security: 'portal_link_created',
      input: (form) => needed(form, 'account'),
      run: async ({ services, form, caller, input: { account } }) => {
        const input = parseOrThrow(portalInput, { access: form['access'] });
        const { url, access } = await services.portal.createLink(account, input, caller);
        const text =
          'The link opens once, within a minute, for an hour. ' +
          'It is recorded that you made it, and what you change there.';
        return said(form, text, { link: url, changed: { account, object: access } });
      },
    }),
    'create-token': action({
      audit: 'create access token',
      security: 'token_created',
      place: 'tokens',
      input: (form) => needed(form, 'account'),
      run: async ({ services, form, input: { account } }) => {
        const input = parseOrThrow(tokenInput, { ...typedToken(form), access: form['access'] });
        return newToken(form, await services.tokens.create(account, input));
      },
    }),
    'revoke-token': action({
      audit: 'revoke access token',
      security: 'token_revoked',
      input: (form) => needed(form, 'account', 'token'),
      run: async ({ services, form, input: { account, token } }) => {
        await services.tokens.remove(account, token);
        return said(form, 'The token is revoked.', { changed: { account, object: token } });
      },
    }),
  },
});

async function contentOf(services: OperatorServices, account: AccountDetails, tab: Tab): Promise<Markup> {
  const { id } = account;
  const context = contextOf(await services.accounts.namesOf([id]));
  switch (tab) {
    case 'overview':
      return accountOverview(account, context, services.isHttpsOnly);
    case 'destinations':
      return accountDestinations(account, context);
    case 'tokens':
      return accessTokens(id, await services.tokens.list(id));
    case 'limits':
      return accountLimits(account);
    case 'audit': {
      const { items } = await services.audit.list({ account: id, limit: ROWS });
      const url = pageUrl('audit', '', { account: id });
      return html`${auditTable(items, context.names, true)}
        <p class="more-line"><a href="${url}">All actions on this account</a></p>`;
    }
  }
}
