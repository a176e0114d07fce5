import {
  coded,
  destinationTestInput,
  EVERY_TYPE,
  receiverCheckInput,
  settingsFaults,
  subscriptionOf,
  sampleFields,
  typesIn,
  isUrl,
} from '@mailhook/core';
import type { CustomerServices, EventTypeName, ShownDestination, TestResult } from '@mailhook/core';
import { invalid, parseOrThrow, ProblemError, versionOf } from '@mailhook/platform/http-server';
import type { FormFields } from '@mailhook/platform/http-server';
import { listOf } from '../../html/formats.ts';
import type { Content } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { done, refused } from '../../page/outcome.ts';
import type { OutcomePlace, Said } from '../../page/outcome.ts';
import { action } from '../family.ts';
import type { CustomerActions, Press } from '../family.ts';
import { changeAddress, endpointIn, ofEndpoint, ofReport } from './change-address.ts';
import { changedBy, changesIn, newEndpointIn, PREVIEW, savedFieldsOf, settingsOfNew } from './endpoint-form.ts';
import { ifPartOf } from './made-from.ts';
import { offerPast } from '../endpoint/replays.ts';
import { ofProblem, ofTest } from './outcomes.ts';
import { scopeOf, scopeWarnings } from './scope.ts';
import type { Scoped } from './scope.ts';

const { outcomes, stops } = texts;

/** @throws a 404 for an endpoint that the account does not have. */
async function findEndpoint(api: CustomerServices, account: string, id: string): Promise<ShownDestination> {
  const found = (await api.destinations.settings(account)).find((one) => one.id === id);
  if (found === undefined) throw new ProblemError('not_found', { detail: coded('unknown-destination') });
  return found;
}

type Alike = Scoped & Pick<ShownDestination, 'address' | 'active'>;

/** Types of which the receiver would get each event twice, from another active endpoint without a filter too. */
async function findDuplicates(
  api: CustomerServices,
  account: string,
  wanted: Alike,
  id?: string,
): Promise<readonly EventTypeName[]> {
  if (!wanted.active || wanted.filter !== null) return [];
  const others = (await api.destinations.settings(account)).filter(
    (one) =>
      one.id !== id &&
      one.active &&
      one.filter === null &&
      one.module === wanted.module &&
      isSame(one.address, wanted.address),
  );
  const theirs = new Set(others.flatMap((one) => typesIn(one.module, one.types)));
  return typesIn(wanted.module, wanted.types).filter((type) => theirs.has(type));
}

const isSame = (a: string, b: string): boolean =>
  isUrl(a) && isUrl(b) ? new URL(a).href === new URL(b).href : a === b;

/** Contradictions are refused before anything is asked. */
function refuse({ module, ...settings }: Alike & Pick<ShownDestination, 'concurrency'>): void {
  const faults = settingsFaults(module, settings);
  if (faults.length > 0) throw invalid(faults);
}

/** Asks first, unless the button goes on anyway. Undefined: there is nothing to ask. */
function ask(form: FormFields, questions: readonly (Content | false)[]): Said | undefined {
  const { do: button = '' } = form;
  const asked = questions.filter((one) => one !== false);
  if (button.endsWith('-anyway') || asked.length === 0) return undefined;
  const text = asked.map((one, i) => [i > 0 && ' ', one]);
  return refused(409, text, { draft: form, question: `${button}-anyway` });
}

const duplicate = (types: readonly EventTypeName[]): Content | false =>
  types.length > 0 && outcomes.duplicate({ type: listOf(types) });

const create = action({
  audit: 'create destination',
  place: 'new-endpoint',
  input: newEndpointIn,
  run: async ({ api, account, form, input }) => {
    const settings = settingsOfNew(input);
    refuse(settings);
    const asked = ask(form, [duplicate(await findDuplicates(api, account, settings))]);
    if (asked !== undefined) return asked;
    const { id } = await api.destinations.create(account, input);
    const warnings = scopeWarnings(settings);
    return done([outcomes.endpointAdded({ scope: scopeOf(settings) }), ...spaced(warnings)], {
      isWarning: warnings.length > 0,
      place: ofEndpoint({ id }),
      changed: { object: id },
      ...(await offerPast(api, account, id, settings.filter !== null)),
    });
  },
});

const spaced = (sentences: readonly Content[]): readonly Content[] => sentences.map((one) => [' ', one]);

/** Empty for the first of its types. */
const wantedType = (type = '') => parseOrThrow(destinationTestInput, type === '' ? {} : { type });

const ofSample = (result: TestResult, type: string, address: string): Said =>
  ofTest(result, outcomes.sampleTaken({ type }), address);

/** Tries an endpoint before it is saved. */
const tryNew = action({
  audit: false,
  place: 'new-endpoint',
  input: newEndpointIn,
  run: async ({ api, account, form, input }) => {
    const test = wantedType(form['testType']);
    const type = test.type ?? typesIn(input.module, input.types)[0] ?? EVERY_TYPE;
    const said = ofSample(await api.destinations.testUnsaved(account, input, test), type, input.address);
    return { ...said, draft: form, ...(said.isGood && { advice: outcomes.notCreated }) };
  },
});

const ofTyped = (form: FormFields): OutcomePlace => (form['id'] === undefined ? 'new-endpoint' : ofEndpoint(form));

/**
 * Shows what a typed endpoint would get: a new one, or changes of a saved one. The script asks after each change, also
 * while fields are empty, so faults are no errors of HTTP.
 */
const preview = action({
  audit: false,
  isForReaders: true,
  place: ofTyped,
  run: async ({ api, account, form }) => {
    const typed = async (id: string): Promise<Scoped> => {
      const found = await findEndpoint(api, account, id);
      return changedBy(found, changesIn(form, found));
    };
    const { id } = form;
    try {
      const scoped = id === undefined ? settingsOfNew(newEndpointIn(form)) : await typed(id);
      return done(outcomes.wouldGet({ scope: scopeOf(scoped) }), { draft: form });
    } catch (error) {
      if (!(error instanceof ProblemError) || error.errors === undefined) throw error;
      return { ...ofProblem(ofTyped(form), error, form), status: 200 };
    }
  },
});

/** The buttons of the form for a new endpoint. */
export const newEndpointActions: CustomerActions = {
  'create-subscription': create,
  'create-subscription-anyway': create,
  'test-new-endpoint': tryNew,
  [PREVIEW]: preview,
};

const edit = (audit: string, isSwitchedOn: boolean) =>
  action({
    audit,
    place: ofEndpoint,
    run: async ({ api, account, form, onUnchanged }) => {
      const id = endpointIn(form);
      const { settings, etag } = await api.destinationSettings.read(account, id);
      const before: ShownDestination = { ...settings, id };
      const ifVersion = ifPartOf(form, versionOf(savedFieldsOf(before)), etag);
      const changes = { ...changesIn(form, before), ...(isSwitchedOn && { active: true }) };
      const after = changedBy(before, changes);
      refuse(after);
      const leaves = subscriptionOf(before) !== undefined && subscriptionOf(after) === undefined;
      const twice = await findDuplicates(api, account, after, id);
      const asked = ask(form, [duplicate(twice), leaves && outcomes.leavesList]);
      if (asked !== undefined) return asked;
      const lost = await changeAddress(api, account, id, () =>
        api.destinationSettings.write(account, id, changes, onUnchanged, ifVersion),
      );
      return saved(before, after, isSwitchedOn, lost);
    },
  });

function saved(before: ShownDestination, now: ShownDestination, isSwitchedOn: boolean, lost: Content): Said {
  const warnings = scopeWarnings(now);
  const text = isSwitchedOn ? outcomes.savedAndOn : now.active ? outcomes.endpointSaved : outcomes.endpointSavedOff;
  const isMoved = before.active && now.active && now.address !== before.address;
  return done([text, isMoved && [' ', outcomes.newAddress], lost, ...spaced(warnings)], {
    isWarning: !now.active || warnings.length > 0,
  });
}

const switchTo = (audit: string, active: boolean, said: typeof outcomes.switchedOn) =>
  action({
    audit,
    place: ofEndpoint,
    run: async ({ api, account, form, onUnchanged }) => {
      await api.destinationSettings.write(account, endpointIn(form), { active }, onUnchanged);
      return done(said);
    },
  });

const save = edit('change destination', false);
const saveAndSwitchOn = edit('change and switch on destination', true);

async function test({ api, account, form }: Press & { readonly form: FormFields }): Promise<Said> {
  const found = await findEndpoint(api, account, endpointIn(form));
  const { type: wanted } = wantedType(form['type']);
  const type = wanted ?? typesIn(found.module, found.types)[0];
  // A sample that was shown for another type is not meant.
  const typed = form['sampleOf'] === type ? typedSample(form['sample']) : undefined;
  const event = type && typed && { ...withoutValues(sampleFields(found.module, type)), ...typed };
  const result = await api.destinations.test(account, found.id, { type, event });
  const said = ofSample(result, type ?? EVERY_TYPE, found.address);
  return { ...said, draft: form };
}

/** What was deleted in the text is not in the event. */
const withoutValues = (fields: object): object => Object.fromEntries(Object.keys(fields).map((name) => [name, null]));

/** The edited sample of a form. Undefined without one. Throws a 422 for a text that is no JSON object. */
function typedSample(text = ''): Readonly<Record<string, unknown>> | undefined {
  if (text.trim() === '') return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
      return parsed as Readonly<Record<string, unknown>>;
  } catch {
    // Refused below.
  }
  throw invalid([{ path: 'event', message: 'must be a JSON object' }]);
}

/** The buttons of every endpoint. */
export const endpointActions: CustomerActions = {
  'save-endpoint': save,
  'save-endpoint-anyway': save,
  'save-endpoint-on': saveAndSwitchOn,
  'save-endpoint-on-anyway': saveAndSwitchOn,
  'test-endpoint': action({ audit: false, place: ofEndpoint, run: test }),
  'test-sample': action({
    audit: false,
    isForReaders: true,
    place: ofEndpoint,
    run: ({ form: { sample: _sample, ...form } }) => Promise.resolve(done('', { draft: form })),
  }),
  'check-endpoint': action({
    audit: false,
    place: ofEndpoint,
    run: async ({ api, account, form }) => {
      const input = parseOrThrow(receiverCheckInput, { destination: endpointIn(form) });
      return ofReport(await api.receiverCheck(account, input), form);
    },
  }),
  [PREVIEW]: preview,
  'switch-on': switchTo('switch on destination', true, outcomes.switchedOn),
  'switch-off': switchTo('switch off destination', false, stops.switchedOff),
  'delete-endpoint': action({
    audit: 'delete destination',
    place: ofEndpoint,
    run: async ({ api, account, form }) => {
      const id = endpointIn(form);
      await api.destinations.remove(account, id);
      return id === 'campaign' ? done(stops.removed) : done(stops.deleted, { place: 'endpoints' });
    },
  }),
};
