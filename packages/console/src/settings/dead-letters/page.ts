import { deadLetterListFilter } from '@mailhook/core';
import { parseOrThrow } from '@mailhook/platform/http-server';
import { html } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { deadLetterActions } from './actions.ts';
import { deadLetterFilterOf, deadLettersContent, deadLettersLive, redriveAll } from './content.ts';
import { liveState } from '../deliveries/content.ts';
import { page } from '../family.ts';
import { valueOf } from '../loaded.ts';
import { pageHead, titleOf } from '../shared/page-parts.ts';
import { readOfTimes } from '../shared/period.ts';
import { deadLettersOf } from '../parts.ts';

export const deadLettersPage = page({
  path: '/dead-letters',
  name: 'dead-letters',
  asks: ['destination', 'cause', 'from', 'dead', 'letter'],
  live: {
    load: (ask) => {
      const filter = deadLetterFilterOf(ask.question);
      const checked = async () => ask.api.deadLetters.groups(ask.account, parseOrThrow(deadLetterListFilter, filter));
      const { deadLetters } = deadLettersOf(ask, filter);
      const firstEvents = deadLetters.then(async (found) => {
        const letters = valueOf(found)?.items ?? [];
        return valueOf(await ask.read(() => ask.api.deadLetters.firstEvents(ask.account, letters)));
      });
      return { deadLetters, firstEvents, groups: readOfTimes(ask, checked) };
    },
    content: (view) => html`${redriveAll(view)}${deadLettersLive(view)}`,
  },
  load: ({ api, account, question: { letter }, open }) => ({
    letter: letter === '' ? undefined : open(() => api.deadLetters.read(account, letter), texts.deadLetters.unknown),
  }),
  show: (view) => ({
    title: titleOf(texts.shell.deadLetters),
    head: pageHead(texts.shell.deadLetters, texts.deadLetters.lead, [liveState, redriveAll(view)]),
    content: deadLettersContent(view),
  }),
  actions: deadLetterActions,
});
