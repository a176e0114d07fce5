import { html } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { liveState } from '../deliveries/content.ts';
import { endpointsTable } from '../endpoints/content.ts';
import { page } from '../family.ts';
import { elsewhere } from '../navigation.ts';
import { ENDPOINTS_SHOWN, firstRunLive, isFirstRun, overviewContent, overviewLive } from './content.ts';
import { pageHead } from '../shared/page-parts.ts';
import { deliveriesOf, historyOf } from '../parts.ts';

export const overviewPage = page({
  path: '',
  name: 'overview',
  asks: ['from', 'to'],
  moved: elsewhere,
  live: {
    load: (ask) => ({ ...historyOf(ask), ...deliveriesOf(ask) }),
    content: (view) =>
      isFirstRun(view) ? firstRunLive(view) : html`${overviewLive(view)}${endpointsTable(view, ENDPOINTS_SHOWN)}`,
  },
  load: ({ snippets }) => ({ snippets }),
  show: (view, outcome) => ({
    title: texts.shell.webhooks,
    head: pageHead(texts.shell.webhooks, texts.overview.lead, liveState),
    content: overviewContent(view, outcome, view.snippets),
  }),
});
