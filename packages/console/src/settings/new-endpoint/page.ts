import { DESTINATIONS_PER_TYPE_MAX } from '@mailhook/core';
import { count } from '../../html/formats.ts';
import { texts } from '../../messages/texts.ts';
import { page } from '../family.ts';
import { newEndpointActions } from '../shared/endpoint-actions.ts';
import { pageHead, titleOf } from '../shared/page-parts.ts';
import { trialOf } from '../shared/filter-trial.ts';
import { newEndpoint, scopeIn } from './content.ts';

const { endpoints: words } = texts;

export const newEndpointPage = page({
  path: '/new-endpoint',
  name: 'new-endpoint',
  asks: [],
  load: (ask) => trialOf(ask, () => Promise.resolve(scopeIn(ask.typed ?? {}))),
  show: (view, outcome) => ({
    title: titleOf(words.addEndpoint),
    head: pageHead(words.addEndpoint, words.addLead({ max: count(DESTINATIONS_PER_TYPE_MAX) })),
    content: newEndpoint(view, outcome),
  }),
  actions: newEndpointActions,
});
