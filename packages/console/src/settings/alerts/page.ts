import { texts } from '../../messages/texts.ts';
import { page } from '../family.ts';
import { pageHead, titleOf } from '../shared/page-parts.ts';
import { alertActions } from './actions.ts';
import { alertsContent } from './content.ts';

export const alertsPage = page({
  path: '/alerts',
  name: 'alerts',
  asks: [],
  load: ({ api: { alerts }, account, read }) => ({
    sendsMails: alerts.sendsMails,
    alerts: read(() => alerts.list(account)),
    webhooks: read(() => alerts.webhooks.list(account)),
  }),
  show: (view, outcome) => ({
    title: titleOf(texts.alerts.title),
    head: pageHead(texts.alerts.title, texts.alerts.lead),
    content: alertsContent(view, outcome),
  }),
  actions: alertActions,
});
