import { texts } from '../../messages/texts.ts';
import { page } from '../family.ts';
import { pageHead, titleOf } from '../shared/page-parts.ts';
import { secretUsesOf, signingOf } from '../parts.ts';
import { secretActions } from './actions.ts';
import { secretsSection } from './content.ts';

export const secretsPage = page({
  path: '/secrets',
  name: 'secrets',
  asks: [],
  load: (ask) => ({ ...signingOf(ask), ...secretUsesOf(ask), snippets: ask.snippets }),
  show: (view, outcome) => ({
    title: titleOf(texts.shell.secrets),
    head: pageHead(texts.shell.secrets, texts.secrets.lead),
    content: secretsSection(view, outcome, view.snippets),
  }),
  actions: secretActions,
});
