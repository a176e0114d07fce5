import { auditQuery } from '@mailhook/core';
import { parseOrThrow } from '@mailhook/platform/http-server';
import { texts } from '../../messages/texts.ts';
import { page } from '../family.ts';
import { pageHead, titleOf } from '../shared/page-parts.ts';
import { changesContent, KINDS } from './content.ts';

const ROWS = 50;
const query = auditQuery.omit({ account: true, action: true });

export const changesPage = page({
  path: '/changes',
  name: 'changes',
  asks: ['by', 'about', 'cursor'],
  load: ({ api, account, read, question: { by, about, cursor } }) => ({
    changes: read(async () => {
      const asked = Object.entries({ actor: by, cursor }).filter(([, value]) => value !== '');
      const wanted = parseOrThrow(query, { limit: ROWS, ...Object.fromEntries(asked) });
      return api.changes(account, { ...wanted, actions: KINDS.get(about)?.[1] });
    }),
  }),
  show: (view) => ({
    title: titleOf(texts.changes.title),
    head: pageHead(texts.changes.title, texts.changes.lead),
    content: changesContent(view),
  }),
});
