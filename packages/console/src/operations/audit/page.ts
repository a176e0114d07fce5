import { auditContent } from './content.ts';
import { page } from '../family.ts';
import { ROWS } from '../view.ts';

export const auditPage = page({
  path: '/audit',
  name: 'audit',
  asks: ['account', 'actor', 'action', 'cursor'],
  load: ({ services, question: { query } }) => {
    const { account, actor, action, cursor } = query;
    const actions = action === undefined ? undefined : [action];
    const found = services.audit.list({ account, actor, actions, cursor, limit: ROWS });
    const names = found.then(({ items }) => services.accounts.namesOf(items.flatMap((entry) => entry.account ?? [])));
    return { found, names };
  },
  show: ({ found, names, question }) => ({
    title: 'Audit',
    lead: 'Changes by customers and operators, kept for 90 days.',
    content: auditContent(found, question.query, names),
  }),
});
