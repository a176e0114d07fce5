import { html } from '../../html/markup.ts';
import { page } from '../family.ts';
import { BOARD_PATH } from '../navigation.ts';
import { queuesContent } from './content.ts';

export const queuesPage = page({
  path: '/queues',
  name: 'queues',
  asks: [],
  load: ({ services }) => ({ reading: services.readOperations() }),
  show: ({ reading: { report } }) => ({
    title: 'Queues',
    lead: 'Jobs by state over all shards, and the Redis that holds them.',
    beside: html`<a class="button quiet" href="${BOARD_PATH}">Open Bull Board</a>`,
    content: queuesContent(report),
    isLive: true,
    asOf: report.time,
  }),
});
