import { texts } from '../../messages/texts.ts';
import { developersPage as developersContent } from './content.ts';
import { page } from '../family.ts';
import { pageHead, titleOf } from '../shared/page-parts.ts';

export const developersPage = page({
  path: '/developers',
  name: 'developers',
  asks: [],
  load: ({ session, listSessions, baseUrl }) => ({ session, sessions: listSessions(), baseUrl }),
  show: ({ session, sessions, baseUrl }) => ({
    title: titleOf(texts.shell.developers),
    head: pageHead(texts.shell.developers, texts.help.developersLead),
    content: developersContent(session, sessions, baseUrl),
  }),
});
