import { countedObject, deadLetterListFilter, ownDiscardInput, redriveInput } from '@mailhook/core';
import { parseOrThrow } from '@mailhook/platform/http-server';
import type { RedriveResult, CustomerServices } from '@mailhook/core';
import type { FormFields } from '@mailhook/platform/http-server';
import { masked } from '../../html/elements.ts';
import type { Content } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { stateBadge, troubleOf } from '../shared/destination-state.ts';
import { GROUP_BOX } from './content.ts';
import type { Said } from '../../page/outcome.ts';
import { resultIfSoon } from '../../page/soon.ts';
import { action } from '../family.ts';
import type { CustomerActions, Press } from '../family.ts';
import { asks, done, refused } from '../../page/outcome.ts';

type Pressing = Press & { readonly form: FormFields };

/** The selected dead letters of one endpoint. */
interface Selected {
  readonly deadLetters: number;
  readonly events: number;
  /** The endpoint, or its address, in the words of the page. */
  readonly endpoint: Content;
  /** Otherwise it cannot be delivered again. */
  readonly isOn: boolean;
  /** Why a redrive may fail again now. */
  readonly trouble: Content;
}

const isAbout = (name: string): boolean => name === 'id' || name === 'from' || name.startsWith(GROUP_BOX);

/** What of a form selects dead letters: one, groups, or neither for all. */
const selectionIn = (form: FormFields): Record<string, string> =>
  Object.fromEntries(Object.entries(form).filter(([name]) => isAbout(name)));

const groupsIn = (form: FormFields): string[] =>
  Object.keys(form).flatMap((name) => (name.startsWith(GROUP_BOX) ? [name.slice(GROUP_BOX.length)] : []));

function bodyOf(form: FormFields): unknown {
  const { id, from } = form;
  const groups = groupsIn(form);
  if (id !== undefined) return { ids: [id] };
  return { ...(groups.length === 0 ? {} : { groups }), ...(from === undefined ? {} : { from }) };
}

/** The selected dead letters by endpoint. `isComplete`: all were counted. */
async function countSelected(
  api: CustomerServices,
  account: string,
  form: FormFields,
): Promise<{ readonly selected: readonly Selected[]; readonly isComplete: boolean }> {
  const { id: one, from } = form;
  const [{ items, isComplete }, destinations] = await Promise.all([
    one === undefined
      ? api.deadLetters.groups(account, parseOrThrow(deadLetterListFilter, { from }))
      : api.deadLetters
          .read(account, one)
          .then((letter) => ({ items: [{ ...letter, deadLetters: 1 }], isComplete: true })),
    api.destinations.settings(account),
  ]);
  const known = new Map(destinations.map((found) => [found.id, found]));
  const statuses = new Map((await api.destinations.of(account, destinations)).map((one) => [one.destination, one]));
  const chosen = new Set(groupsIn(form));
  const counts = new Map<string, Selected>();
  for (const { id, destination, deadLetters, events } of items) {
    if (chosen.size > 0 && !chosen.has(id)) continue;
    const { address, active: isOn = false } = known.get(destination) ?? {};
    const key = `${isOn} ${address}`;
    const before = counts.get(key) ?? { deadLetters: 0, events: 0, trouble: undefined };
    const status = statuses.get(destination);
    const trouble = status && troubleOf(status)?.text;
    counts.set(key, {
      deadLetters: before.deadLetters + deadLetters,
      events: before.events + events,
      endpoint: address === undefined ? texts.deadLetters.noAddress : masked(address),
      isOn,
      trouble: status && trouble ? [' ', stateBadge(status), ' ', trouble] : before.trouble,
    });
  }
  return { selected: [...counts.values()], isComplete };
}

async function askRedrive({ api, account, form }: Pressing): Promise<Said> {
  const { selected, isComplete } = await countSelected(api, account, form);
  if (selected.length === 0) return refused(422, texts.deadLetters.nothingLeft);
  const sent = selected.filter(({ isOn }) => isOn);
  const letters = selected.reduce((sum, { isOn, deadLetters }) => sum + (isOn ? 0 : deadLetters), 0);
  const stayed = texts.deadLetters.stayed({ letters });
  if (sent.length === 0) return refused(409, stayed);
  return asks({
    title: texts.deadLetters.askRedrive,
    lines: [
      ...sent.map(({ deadLetters, events, endpoint, trouble }) => [
        texts.deadLetters.redriveDoes({ events, letters: deadLetters, endpoint }),
        trouble,
      ]),
      ...(letters > 0 ? [stayed] : []),
      texts.deadLetters.newAttempts,
      ...(isComplete ? [] : [texts.deadLetters.notAllCounted]),
    ],
    fields: selectionIn(form),
    buttons: [
      {
        id: 'confirm-redrive',
        value: 'redrive',
        text: texts.deadLetters.deliverAgain,
        busy: texts.deadLetters.sending,
        look: 'primary',
      },
    ],
  });
}

async function askDiscard({ api, account, form }: Pressing): Promise<Said> {
  const { selected, isComplete } = await countSelected(api, account, form);
  if (selected.length === 0) return refused(422, texts.deadLetters.nothingLeft);
  return asks({
    title: texts.deadLetters.askDiscard,
    lines: [
      ...selected.map(({ events, endpoint }) => texts.deadLetters.discardDoes({ events, endpoint })),
      texts.deadLetters.permanently,
      ...(isComplete ? [] : [texts.deadLetters.notAllCounted]),
    ],
    fields: selectionIn(form),
    buttons: [
      {
        id: 'confirm-discard',
        value: 'discard',
        text: texts.deadLetters.discard,
        busy: texts.deadLetters.deleting,
        look: 'danger',
      },
    ],
  });
}

/** Only with a selection: a press on a button without one must not mean all. */
const onlySelected =
  (run: (pressing: Pressing) => Promise<Said>) =>
  async (pressing: Pressing): Promise<Said> =>
    groupsIn(pressing.form).length === 0 ? refused(422, texts.deadLetters.nothingSelected) : run(pressing);

async function redrive({ api, account, form, logger }: Pressing): Promise<Said> {
  const run = api.deadLetters.redrive(account, parseOrThrow(redriveInput, bodyOf(form)));
  const result = await resultIfSoon(run, (error) =>
    logger.error('a run that redrives dead letters ended early', { account, error }),
  );
  if (result !== undefined) return redriven(result);
  const later = run.then(
    (ended) => new Map([[account, countedObject({}, ended)]]),
    () => new Map<string, string>(),
  );
  return done(texts.deadLetters.goesOn, { changed: { later } });
}

/** For the audit log. */
const countsOf = (result: object): Said['changed'] => ({ object: countedObject({}, result) });

function redriven(result: RedriveResult): Said {
  const { redriven, inactive = 0 } = result;
  if (redriven === 0 && inactive === 0) return done(texts.deadLetters.nothingToRedrive);
  const stayed = texts.deadLetters.stayed({ letters: inactive });
  if (redriven === 0) return refused(409, stayed);
  const text = [texts.deadLetters.onTheWay({ letters: redriven }), inactive > 0 && [' ', stayed]];
  return done(text, { changed: countsOf(result) });
}

async function discard({ api, account, form }: Pressing): Promise<Said> {
  const result = await api.deadLetters.discard(account, parseOrThrow(ownDiscardInput, bodyOf(form)));
  return done(texts.deadLetters.discarded({ events: result.events }), { changed: countsOf(result) });
}

async function stop({ api, account }: Pressing): Promise<Said> {
  const { redriven: progress } = await api.deadLetters.stopRedrive(account);
  const left = progress?.left ?? 0;
  return done(left === 0 ? texts.deadLetters.nothingToStop : texts.deadLetters.stopped({ events: left }));
}

const declared = (audit: string | false, run: (pressing: Pressing) => Promise<Said>) =>
  action({ audit, place: 'dead-letters', run });

/** The buttons of the page of dead letters. */
export const deadLetterActions: CustomerActions = {
  'ask-redrive': declared(false, askRedrive),
  'ask-redrive-selected': declared(false, onlySelected(askRedrive)),
  'ask-discard': declared(false, onlySelected(askDiscard)),
  redrive: declared('redrive dead letters', redrive),
  discard: declared('discard dead letters', onlySelected(discard)),
  'stop-redrive': declared('stop redrive', stop),
};
