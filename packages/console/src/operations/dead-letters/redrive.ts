import { causeIn, destinationIdOf, plural, redriveInput } from '@mailhook/core';
import type { OperatorServices } from '@mailhook/core';
import { parseOrThrow, ProblemError } from '@mailhook/platform/http-server';
import type { FormFields } from '@mailhook/platform/http-server';
import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';
import { asks, done, refused } from '../../page/outcome.ts';
import type { Said } from '../../page/outcome.ts';
import { all } from '../../page/page.ts';
import type { Actions } from '../../page/page.ts';
import { resultIfSoon } from '../../page/soon.ts';
import { action, needed } from '../family.ts';
import type { Press } from '../family.ts';
import { ALL_OF_CAUSE, countGroups, countText, factsOf, groupTitle, membersIn, NONE_LEFT, sentence } from './groups.ts';
import type { Members } from './groups.ts';

/** A group of dead letters by host and cause, as its form names it. Throws a 422 if a run would not take it. */
function groupIn(form: FormFields): { readonly host: string; readonly field: string; readonly members: Members } {
  const { host, members: field } = needed(form, 'host', 'members');
  const members = membersIn(field);
  for (const groups of members.values()) parseOrThrow(redriveInput, { groups });
  return { host, field, members };
}

const ACCOUNTS_AT_A_TIME = 4;

type Member = readonly [account: string, groups: readonly string[]];

/** Runs a task per account, a few at a time. A task may empty `waiting`, so that no other account begins. */
async function forAccounts(members: Members, task: (member: Member, waiting: Member[]) => Promise<void>) {
  const waiting: Member[] = [...members];
  const next = async (): Promise<void> => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await task(one, waiting);
  };
  await Promise.all(Array.from({ length: ACCOUNTS_AT_A_TIME }, next));
}

/** Whether dead letters of the destination stay, as `redrive` decides it again. */
async function isOff({ destinations }: OperatorServices, id: string): Promise<boolean> {
  try {
    return (await destinations.find(id)).state === 'inactive';
  } catch (error) {
    return error instanceof ProblemError && error.status === 404;
  }
}

/** Dead letters that a redrive would send now. `cause`: undefined if there are none. */
async function counted(services: OperatorServices, members: Members) {
  const sums = { letters: 0, events: 0, destinations: 0, accounts: 0, staying: 0, cause: '' as Content };
  await forAccounts(members, async ([account, groups]) => {
    let sent = 0;
    for (const one of await countGroups(services, account, groups)) {
      if (await isOff(services, destinationIdOf(account, one.destination))) {
        sums.staying += one.deadLetters;
        continue;
      }
      sums.letters += one.deadLetters;
      sums.events += one.events;
      sums.destinations += 1;
      sums.cause = sentence(causeIn(one.error));
      sent = 1;
    }
    sums.accounts += sent;
  });
  return sums;
}

/** The only destination with its account, or else the host of all. */
async function titleOfAll({ accounts }: OperatorServices, { host, members }: ReturnType<typeof groupIn>) {
  const [[account, [group = '', ...others]] = ['', []], ...further] = members;
  if (others.length > 0 || further.length > 0) return host;
  return groupTitle(account, group, await accounts.namesOf([account]));
}

const eachOf = (host: string, members: Members): ReadonlyMap<string, string> =>
  new Map([...members.keys()].map((account) => [account, host]));

type OnFailure = (account: string, error: unknown) => void;

/** A run per account. A stop of one of them, by any process, also reaches those that wait. */
async function redriveAll(services: OperatorServices, host: string, members: Members, onFailure: OnFailure) {
  const { deadLetters } = services;
  const times = await all(
    Object.fromEntries([...members.keys()].map((account) => [account, deadLetters.redriveTime(account)])),
  );
  const run = { begun: new Map<string, string>(), failed: [] as string[], isStopped: false, redriven: 0, inactive: 0 };
  await forAccounts(members, async ([account, groups], waiting) => {
    run.begun.set(account, host);
    try {
      const sinceMs = times[account] ?? 0;
      const facts = factsOf(await countGroups(services, account, groups));
      const result = await deadLetters.redrive({ account, groups }, sinceMs);
      const { redriven, inactive = 0 } = result;
      run.begun.set(account, facts({ host }, result));
      run.redriven += redriven;
      run.inactive += inactive;
      if (!(await deadLetters.isStoppedSince(account, sinceMs))) return;
      run.isStopped = true;
      waiting.length = 0;
    } catch (error) {
      run.failed.push(account);
      onFailure(account, error);
    }
  });
  return run;
}

/** Some accounts may have changed, so the audit log has an entry for each. */
const failedFor = (title: string, failed: readonly string[], changed: Said['changed'], before = ''): Said =>
  refused(503, title, { advice: `${before}This failed for ${failed.join(', ')}. Try again in a minute.`, changed });

const stayed = (letters: number): string =>
  `${plural(letters, 'dead letter stays: its', 'dead letters stay: their')} destination is off or deleted.`;

const nothingSent = (title: string, staying: number): Said =>
  refused(409, title, { advice: staying === 0 ? NONE_LEFT : stayed(staying) });

const stopText = (notBegun: number): string =>
  `A stop ended the redrive${notBegun === 0 ? '' : ` before ${plural(notBegun, 'account', 'accounts')} began`}.`;

export const redriveActions: Actions<Press> = {
  'ask-redrive': action({
    audit: false,
    input: groupIn,
    run: async ({ services, input }) => {
      const { host, field, members } = input;
      const [sums, title] = await Promise.all([counted(services, members), titleOfAll(services, input)]);
      const { letters, events, destinations, accounts, staying, cause } = sums;
      if (letters === 0) return nothingSent(title, staying);
      const all =
        title === host
          ? ` at ${plural(destinations, 'destination', 'destinations')} of ${plural(accounts, 'account', 'accounts')}`
          : '';
      return asks({
        title: `Redrive ${letters === 1 ? 'this dead letter' : 'these dead letters'}?`,
        lines: [
          [html`<strong>${title}</strong>`, ': ', cause],
          `${countText(letters, events)}${all} ${letters === 1 ? 'is' : 'are'} sent again.`,
          staying > 0 && stayed(staying),
          ALL_OF_CAUSE,
          'Each starts a new round of attempts. A stop leaves those that are not sent yet.',
        ].filter((line) => line !== false),
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
    run: async ({ services, logger, input }) => {
      const { host, members } = input;
      const title = await titleOfAll(services, input);
      const onFailure: OnFailure = (account, error) =>
        logger.error('a run that redrives dead letters ended early', { host, account, error });
      const running = redriveAll(services, host, members, onFailure);
      const run = await resultIfSoon(running, (error) => onFailure('', error));
      if (run === undefined) {
        const later = running.then(
          ({ begun }) => begun,
          () => new Map<string, string>(),
        );
        const changed = { objects: eachOf(host, members), later };
        return done(title, { advice: 'The redrive goes on. This page shows its progress, and can stop it.', changed });
      }
      const { begun, failed, isStopped, redriven, inactive } = run;
      const changed = { objects: begun };
      const text = `${plural(redriven, 'dead letter is', 'dead letters are')} being delivered again.`;
      if (failed.length > 0) return failedFor(title, failed, changed, redriven === 0 ? '' : `${text} `);
      const stop = isStopped && stopText(members.size - begun.size);
      const advice = (text: string): string => (inactive === 0 ? text : `${text} ${stayed(inactive)}`);
      if (redriven === 0) return stop ? refused(409, title, { advice: advice(stop) }) : nothingSent(title, inactive);
      return done(title, { advice: advice(stop ? `${text} ${stop}` : text), changed });
    },
  }),
  'stop-redrive': action({
    audit: 'stop redrive',
    input: groupIn,
    run: async ({ services, input: { host, members } }) => {
      const accounts = [...members.keys()];
      const stops = await Promise.allSettled(accounts.map((account) => services.deadLetters.stopRedrive(account)));
      const failed = accounts.filter((_, i) => stops[i]?.status === 'rejected');
      const changed = { objects: eachOf(host, members) };
      if (failed.length > 0) return failedFor(host, failed, changed);
      const of = plural(accounts.length, 'account', 'accounts');
      return done(host, {
        advice: `All redrives of ${of} have stopped. Dead letters that were not redriven stay here.`,
        changed,
      });
    },
  }),
};
