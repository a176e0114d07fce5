import { texts } from '../../messages/texts.ts';
import { developersPage as developersContent } from './content.ts';
import { tokenActions } from './actions.ts';
import { page } from '../family.ts';
import { pageHead, titleOf } from '../shared/page-parts.ts';

export const developersPage = page({
  path: '/developers',
  name: 'developers',
  asks: [],
  load: ({ api, account, read, session, listSessions, baseUrl }) => ({
    session,
    sessions: listSessions(),
    tokens: read(() => api.tokens.list(account)),
    baseUrl,
  }),
  show: (view, outcome) => ({
    title: titleOf(texts.shell.developers),
    head: pageHead(texts.shell.developers, texts.help.developersLead),
    content: developersContent(view, outcome),
  }),
  actions: tokenActions,
});
