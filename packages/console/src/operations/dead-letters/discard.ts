import { causeIn, destinationIdOf, discardInput } from '@mailhook/core';
import type { OperatorServices } from '@mailhook/core';
import { parseOrThrow } from '@mailhook/platform/http-server';
import { html } from '../../html/markup.ts';
import { asks, done, refused } from '../../page/outcome.ts';
import type { Said } from '../../page/outcome.ts';
import type { Actions } from '../../page/page.ts';
import { action, needed } from '../family.ts';
import type { Press } from '../family.ts';
import { typedField } from '../forms.ts';
import { ALL_OF_CAUSE, countGroups, countText, factsOf, groupTitle, NONE_LEFT, sentence } from './groups.ts';

/** One destination and one cause. */
interface Group {
  readonly account: string;
  readonly group: string;
}

async function read(services: OperatorServices, { account, group }: Group) {
  const [groups, names] = await Promise.all([
    countGroups(services, account, [group]),
    services.accounts.namesOf([account]),
  ]);
  return { groups, title: groupTitle(account, group, names) };
}

/** `fault`: why the typed text was refused. */
function ask({ account, group }: Group, { groups, title }: Awaited<ReturnType<typeof read>>, fault?: string): Said {
  const [found] = groups;
  if (found === undefined) return refused(409, title, { advice: NONE_LEFT });
  const { deadLetters, events } = found;
  const isOne = deadLetters === 1;
  const question = asks({
    title: `Discard ${isOne ? 'this dead letter' : 'these dead letters'}?`,
    lines: [
      [html`<strong>${title}</strong>`, ': ', sentence(causeIn(found.error))],
      `${countText(deadLetters, events)} ${isOne ? 'is' : 'are'} deleted.`,
      `Nothing brings ${isOne ? 'it' : 'them'} back.`,
      ALL_OF_CAUSE,
    ],
    fields: { account, group },
    control: typedField('discard', destinationIdOf(account, found.destination), fault),
    buttons: [{ id: 'confirm-discard', value: 'discard', text: 'Discard', busy: 'Deleting…', look: 'danger' }],
  });
  return fault === undefined ? question : { ...question, isGood: false, status: 422 };
}

const groupIn = (form: Readonly<Record<string, string>>): Group => needed(form, 'account', 'group');

export const discardActions: Actions<Press> = {
  'ask-discard': action({
    audit: false,
    input: groupIn,
    run: async ({ services, input }) => ask(input, await read(services, input)),
  }),
  discard: action({
    audit: 'discard dead letters',
    input: groupIn,
    run: async ({ services, form: { confirm = '' }, input }) => {
      const { account, group } = input;
      const found = await read(services, input);
      const [first] = found.groups;
      const destination = destinationIdOf(account, first?.destination ?? '');
      if (first === undefined || confirm.trim() !== destination)
        return ask(input, found, `This is not ${destination}. Nothing is deleted.`);
      const selection = parseOrThrow(discardInput, { account, destination });
      const result = await services.discard({ ...selection, groups: [group] });
      const { discarded, events } = result;
      return done(found.title, {
        advice: `${countText(discarded, events)} ${discarded === 1 ? 'is' : 'are'} deleted.`,
        changed: { account, object: factsOf(found.groups)({ destination }, result) },
      });
    },
  }),
};
