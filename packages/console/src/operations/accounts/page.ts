import { accountInput } from '@mailhook/core';
import type { SearchResult } from '@mailhook/core';
import { parseOrThrow } from '@mailhook/platform/http-server';
import { html } from '../../html/markup.ts';
import { accountsContent, searchContent } from './content.ts';
import { action, contextOf, page, said } from '../family.ts';
import { accountUrl, destinationUrl, pageUrl } from '../navigation.ts';
import { ROWS } from '../view.ts';

/** The page of a whole id. Undefined for another text. */
function pageOfId(text: string, { accounts, destinations }: SearchResult): string | undefined {
  if (accounts.some(({ id }) => id === text)) return accountUrl(text);
  return destinations.some(({ id }) => id === text) ? destinationUrl(text) : undefined;
}

export const accountsPage = page({
  path: '/accounts',
  name: 'accounts',
  asks: ['find', 'cursor'],
  load: ({ services: { accounts }, question: { query } }) => {
    const { find, cursor } = query;
    const found = find === undefined ? undefined : accounts.search(find);
    return {
      found,
      names: found?.then(({ destinations }) => accounts.namesOf(destinations.map((one) => one.account))),
      list: found === undefined ? accounts.list({ limit: ROWS, cursor }) : undefined,
    };
  },
  show: ({ found, names, list = { items: [] }, question: { query } }) =>
    found === undefined
      ? {
          title: 'Accounts',
          beside: html`<a class="button quiet" href="#new">Create an account</a>`,
          lead: 'Newest first, with what they keep in Redis.',
          content: accountsContent(list),
        }
      : {
          title: 'Accounts',
          above: [pageUrl('accounts'), 'Accounts'],
          moved: pageOfId(query.find ?? '', found),
          content: searchContent(query.find ?? '', found, contextOf(names)),
        },
  actions: {
    'create-account': action({
      audit: 'create account',
      input: ({ name = '' }) => parseOrThrow(accountInput, { name }),
      run: async ({ services, form, input }) => {
        const { accounts } = await services.accounts.search(input.name);
        const twin = accounts.find(({ name }) => name === input.name);
        const { id } = await services.accountChanges.create(input);
        const note = twin && html` The account <a href="${accountUrl(twin.id)}">${twin.id}</a> has the same name.`;
        return said(form, html`The account is created. Create an access token for it next.${note}`, {
          next: { url: accountUrl(id, 'tokens') },
          changed: { account: id, object: id },
        });
      },
    }),
  },
});
