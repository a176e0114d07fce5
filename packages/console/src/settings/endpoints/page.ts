import { html } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { alertActions } from './alert-actions.ts';
import { liveState } from '../deliveries/content.ts';
import { endpointsContent, endpointsTable, unroutedNotice } from './content.ts';
import { page } from '../family.ts';
import { pageHead, titleOf } from '../shared/page-parts.ts';
import { historyOf } from '../parts.ts';
import { newEndpointActions } from '../shared/endpoint-actions.ts';

export const endpointsPage = page({
  path: '/endpoints',
  name: 'endpoints',
  asks: [],
  live: {
    load: historyOf,
    content: (view) => html`${unroutedNotice(view)}${endpointsTable(view)}`,
  },
  load: ({ api: { alerts }, account, read }) => ({
    alerts: alerts === undefined ? undefined : read(() => alerts.list(account)),
  }),
  show: (view, outcome) => ({
    title: titleOf(texts.shell.endpoints),
    head: pageHead(texts.shell.endpoints, texts.endpoints.lead, liveState),
    content: endpointsContent(view, outcome),
  }),
  actions: { ...newEndpointActions, ...alertActions },
});
