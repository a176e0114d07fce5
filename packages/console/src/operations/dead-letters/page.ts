import { discardInput, formatCount } from '@mailhook/core';
import { parseOrThrow } from '@mailhook/platform/http-server';
import { deadLettersContent } from './content.ts';
import { action, checkTyped, contextOf, DEAD_LETTERS_DAYS, needed, page, said } from '../family.ts';

/** Dead letters of a page. They are grouped by destination. */
const READ = 200;

export const deadLettersPage = page({
  path: '/dead-letters',
  name: 'dead-letters',
  asks: ['cursor'],
  load: ({ services, question: { query } }) => {
    const letters = services.deadLetters.list({}, { limit: READ, cursor: query.cursor });
    return { letters, names: letters.then(({ items }) => services.accounts.namesOf(items.map((one) => one.account))) };
  },
  show: ({ letters, names }) => ({
    title: 'Dead letters',
    lead:
      `Given up, and kept for ${DEAD_LETTERS_DAYS} days. ` +
      `Newest first, ${formatCount(READ)} on a page, grouped by destination and cause.`,
    content: deadLettersContent(letters, contextOf(names)),
    isLive: true,
    asOf: new Date().toISOString(),
  }),
  actions: {
    redrive: action({
      audit: 'redrive dead letters',
      input: (form) => needed(form, 'account', 'destination'),
      run: async ({ services, form, input: { account, destination } }) => {
        await services.deadLetters.redrive({ account, destination });
        return said(
          form,
          'The dead letters of this destination are being delivered again. ' +
            'Dead letters of inactive destinations stay.',
          { changed: { account, object: destination } },
        );
      },
    }),
    discard: action({
      audit: 'discard dead letters',
      input: (form) => needed(form, 'account', 'destination'),
      run: async ({ services, form, input: { account, destination } }) => {
        checkTyped(form, account);
        await services.discard(parseOrThrow(discardInput, { account, destination }));
        return said(form, 'The dead letters of this destination are deleted, and their events with them.', {
          changed: { account, object: destination },
        });
      },
    }),
  },
});
