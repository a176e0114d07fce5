import { html } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { liveState } from '../deliveries/content.ts';
import { addButton, endpointsContent, endpointsTable, unroutedNotice } from './content.ts';
import { page } from '../family.ts';
import { pageHead, titleOf } from '../shared/page-parts.ts';
import { deliveriesOf, historyOf } from '../parts.ts';

export const endpointsPage = page({
  path: '/endpoints',
  name: 'endpoints',
  asks: ['sort', 'find'],
  live: {
    load: (ask) => ({ ...historyOf(ask), ...deliveriesOf(ask) }),
    content: (view) => html`${unroutedNotice(view)}${endpointsTable(view)}`,
  },
  show: (view) => ({
    title: titleOf(texts.shell.endpoints),
    head: pageHead(texts.shell.endpoints, texts.endpoints.lead, [liveState, addButton]),
    content: endpointsContent(view),
  }),
});
