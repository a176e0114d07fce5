import type { Account, OperatorServices } from '@mailhook/core';
import { auditContent } from './content.ts';
import { page } from '../family.ts';
import type { PageQuery } from '../navigation.ts';
import { ROWS } from '../view.ts';

/** The accounts that were asked for by id or name. An id may be of one that is deleted. */
async function accountsOf({ accounts }: OperatorServices, { account }: PageQuery): Promise<readonly Account[]> {
  if (account === undefined) return [];
  const asId = [{ id: account, name: account }];
  if ((await accounts.namesOf([account])).has(account)) return asId;
  const found = await accounts.search(account).catch(() => ({ accounts: [] }));
  return found.accounts.length === 0 ? asId : found.accounts;
}

export const auditPage = page({
  path: '/audit',
  name: 'audit',
  asks: ['account', 'actor', 'action', 'cursor'],
  load: ({ services, question: { query } }) => {
    const { actor, action, cursor } = query;
    const actions = action === undefined ? undefined : [action];
    const accounts = accountsOf(services, query);
    const found = accounts.then(([one]) =>
      services.audit.list({ account: one?.id, actor, actions, cursor, limit: ROWS }),
    );
    const names = found.then(({ items }) => services.accounts.namesOf(items.flatMap((entry) => entry.account ?? [])));
    return { accounts, found, names };
  },
  show: ({ accounts, found, names, question }) => ({
    title: 'Audit',
    lead: 'Changes by customers and operators, kept for 90 days.',
    content: auditContent(found, question.query, accounts, names),
  }),
});
