import { plural, redriveInput } from '@mailhook/core';
import type { OperatorServices, RedriveResult } from '@mailhook/core';
import { parseOrThrow } from '@mailhook/platform/http-server';
import type { FormFields } from '@mailhook/platform/http-server';
import { asks, done, refused } from '../../page/outcome.ts';
import type { Actions } from '../../page/page.ts';
import { unlessLate } from '../../page/soon.ts';
import { action, needed } from '../family.ts';
import type { Press } from '../family.ts';
import { membersIn } from './groups.ts';
import type { Members } from './groups.ts';

/** A group of dead letters by host and cause, as its form names it. */
function groupIn(form: FormFields): { readonly host: string; readonly field: string; readonly members: Members } {
  const { host, members: field } = needed(form, 'host', 'members');
  return { host, field, members: membersIn(field) };
}

/** All dead letters of the group, those on later pages too, as far as an account's groups are counted. */
async function counted({ deadLetters }: OperatorServices, members: Members) {
  const read = await Promise.all(
    [...members].map(async ([account, groups]) => {
      const { items, isComplete } = await deadLetters.groups(account, {});
      return { own: items.filter(({ id }) => groups.includes(id)), isComplete };
    }),
  );
  const all = read.flatMap(({ own }) => own);
  return {
    letters: all.reduce((sum, one) => sum + one.deadLetters, 0),
    events: all.reduce((sum, one) => sum + one.events, 0),
    destinations: all.length,
    isComplete: read.every(({ isComplete }) => isComplete),
  };
}

const NOTHING_LEFT = { advice: 'None of these dead letters is left.' };

/** A run per account, all begun at the same time, so that a stop reaches each. */
const redriveAll = ({ deadLetters }: OperatorServices, members: Members): Promise<readonly RedriveResult[]> =>
  Promise.all(
    [...members].map(([account, groups]) =>
      deadLetters.redrive({ account, ...parseOrThrow(redriveInput, { groups }) }),
    ),
  );

const sumOf = (results: readonly RedriveResult[], name: 'redriven' | 'inactive'): number =>
  results.reduce((sum, one) => sum + (one[name] ?? 0), 0);

const stayed = (letters: number): string =>
  letters === 0 ? '' : ` ${plural(letters, 'dead letter stays: its', 'dead letters stay: their')} destination is off.`;

export const redriveActions: Actions<Press> = {
  'ask-redrive': action({
    audit: false,
    input: groupIn,
    run: async ({ services, input: { host, field, members } }) => {
      const { letters, events, destinations, isComplete } = await counted(services, members);
      if (letters === 0) return refused(409, host, NOTHING_LEFT);
      const least = isComplete ? '' : 'At least ';
      return asks({
        title: `Redrive all of ${host}?`,
        lines: [
          `${least}${plural(letters, 'dead letter', 'dead letters')} with ${plural(events, 'event', 'events')} ` +
            `at ${plural(destinations, 'destination', 'destinations')} of ` +
            `${plural(members.size, 'account', 'accounts')} are sent again.`,
          'Each starts a new round of attempts. A stop leaves those that are not sent yet.',
        ],
        fields: { host, members: field },
        buttons: [
          { id: 'confirm-redrive', value: 'redrive', text: 'Redrive all', busy: 'Beginning…', look: 'primary' },
        ],
      });
    },
  }),
  redrive: action({
    audit: 'redrive dead letters',
    input: groupIn,
    run: async ({ services, logger, input: { host, members } }) => {
      const run = redriveAll(services, members);
      const results = await unlessLate(run, (error) =>
        logger.error('a run that redrives dead letters ended early', { host, error }),
      );
      const changed = { object: host, accounts: [...members.keys()] };
      if (results === undefined)
        return done(host, { advice: 'The redrive goes on. This page shows what is left, and can stop it.', changed });
      const [redriven, inactive] = [sumOf(results, 'redriven'), sumOf(results, 'inactive')];
      if (redriven === 0) return refused(409, host, { advice: `${NOTHING_LEFT.advice}${stayed(inactive)}` });
      const letters = plural(redriven, 'dead letter is', 'dead letters are');
      return done(host, { advice: `${letters} being delivered again.${stayed(inactive)}`, changed });
    },
  }),
  'stop-redrive': action({
    audit: 'stop redrive',
    input: groupIn,
    run: async ({ services, input: { host, members } }) => {
      const accounts = [...members.keys()];
      await Promise.all(accounts.map((account) => services.deadLetters.stopRedrive(account)));
      return done(host, {
        advice: `Redrives of ${plural(accounts.length, 'account', 'accounts')} have stopped. What is left stays here.`,
        changed: { object: host, accounts },
      });
    },
  }),
};
