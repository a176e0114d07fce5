import { discardInput, formatCount } from '@mailhook/core';
import { parseOrThrow } from '@mailhook/platform/http-server';
import { all } from '../../page/page.ts';
import { deadLettersContent } from './content.ts';
import { readFacts } from './groups.ts';
import { redriveActions } from './redrive.ts';
import { action, checkTyped, contextOf, DEAD_LETTERS_DAYS, needed, page, said } from '../family.ts';

/** Dead letters of a page. They are grouped by host and cause. */
const READ = 200;

export const deadLettersPage = page({
  path: '/dead-letters',
  name: 'dead-letters',
  asks: ['cursor'],
  load: ({ services, question: { query } }) => {
    const letters = services.deadLetters.list({}, { limit: READ, cursor: query.cursor });
    const accounts = letters.then(({ items }) => [...new Set(items.map(({ account }) => account))]);
    return {
      letters,
      names: accounts.then((ids) => services.accounts.namesOf(ids)),
      summaries: accounts.then(async (ids) => {
        const read = await all(Object.fromEntries(ids.map((id) => [id, services.deadLetters.summary(id)])));
        return new Map(Object.entries(read));
      }),
    };
  },
  show: ({ letters, names, summaries }) => ({
    title: 'Dead letters',
    lead:
      `Given up, and kept for ${DEAD_LETTERS_DAYS} days. ` +
      `Newest first, ${formatCount(READ)} on a page, grouped by host and cause.`,
    content: deadLettersContent(letters, summaries, contextOf(names)),
    isLive: true,
    asOf: new Date().toISOString(),
  }),
  actions: {
    ...redriveActions,
    discard: action({
      audit: 'discard dead letters',
      input: (form) => needed(form, 'account', 'destination', 'group'),
      run: async ({ services, form, input: { account, destination, group } }) => {
        checkTyped(form, account);
        const factsOf = await readFacts(services, account, group);
        const result = await services.discard({
          ...parseOrThrow(discardInput, { account, destination }),
          groups: [group],
        });
        return said(form, 'Its dead letters of this cause are deleted, and their events with them.', {
          changed: { account, object: factsOf({ destination }, result) },
        });
      },
    }),
  },
});
