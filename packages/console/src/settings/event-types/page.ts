import { texts } from '../../messages/texts.ts';
import { page } from '../family.ts';
import { pageHead, titleOf } from '../shared/page-parts.ts';
import { eventCatalog } from './content.ts';

export const eventTypesPage = page({
  path: '/event-types',
  name: 'event-types',
  asks: [],
  show: (view) => ({
    title: titleOf(texts.catalog.title),
    head: pageHead(texts.catalog.title, texts.catalog.lead),
    content: eventCatalog(view),
  }),
});
