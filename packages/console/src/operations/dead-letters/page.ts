import { formatCount } from '@mailhook/core';
import { all } from '../../page/page.ts';
import { deadLettersContent } from './content.ts';
import { discardActions } from './discard.ts';
import { redriveActions } from './redrive.ts';
import { contextOf, DEAD_LETTERS_DAYS, page } from '../family.ts';

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
  show: ({ letters, names, summaries, question: { query } }) => ({
    title: 'Dead letters',
    lead:
      `Given up, and kept for ${DEAD_LETTERS_DAYS} days. ` +
      `Newest first, ${formatCount(READ)} on a page, grouped by host and cause.`,
    content: deadLettersContent(
      { ...letters, isWhole: letters.nextCursor === undefined && query.cursor === undefined },
      summaries,
      contextOf(names),
    ),
    isLive: true,
    asOf: new Date().toISOString(),
  }),
  actions: {
    ...redriveActions,
    ...discardActions,
  },
});
