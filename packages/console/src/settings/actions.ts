import {
  CAMPAIGN_TYPES,
  coded,
  LIMITS,
  namesOf,
  campaignWebhookInput,
  campaignTestInput,
  receiverCheckInput,
  subscriptionInput,
  subscriptionEdit,
  customerPauseInput,
  destinationSettingsInput,
} from '@mailhook/core';
import type { ReceiverReport, CustomerServices, Session, Origin } from '@mailhook/core';
import { invalid, ProblemError, versionOf, parseOrThrow } from '@mailhook/platform/http-server';
import type { FormFields } from '@mailhook/platform/http-server';
import { ALERT_ACTIONS } from './alert-actions.ts';
import { DEAD_LETTER_ACTIONS } from './dead-letter-actions.ts';
import { field } from './action.ts';
import type { Action, ActionDeps, ActionRequest } from './action.ts';
import { count, listOf } from '../html/formats.ts';
import type { Content } from '../html/markup.ts';
import { texts } from '../messages/texts.ts';
import { auditButton } from '../audit.ts';
import { headersOf, limitsOfForm, SAVE_SETTINGS } from './login-section.ts';
import { CREATE_SECRET, DELETE_SECRET } from './secrets-section.ts';
import { askAboutEmptyAddress, STOP_ACTIONS } from './stop-actions.ts';
import { fieldsLike, ifVersionOf, outdatedForm } from './made-from.ts';
import type { Outcome, OutcomePlace } from './outcome.ts';
import { done, ofProblem, ofTest } from './outcome.ts';

const { outcomes } = texts;

const MODULE = 'transactional_email';
/** Removes the spaces around a pasted address. */
const addressOf = (form: FormFields): string => field(form, 'address').trim();

/**
 * Runs a change of an address. Resolves with a sentence, after a space, if the custom headers of the destination
 * belong to the old one.
 */
async function changeAddress(
  api: CustomerServices,
  account: string,
  destination: string,
  change: () => Promise<unknown>,
): Promise<Content> {
  const names = async () => Object.keys((await api.destinationSettings.list(account)).get(destination)?.headers ?? {});
  const before = await names();
  await change();
  const isLost = before.length > 0 && (await names()).length === 0;
  return isLost && [' ', outcomes.headersLost];
}

/** Saves the address. A webhook that is off stays off, unless the customer switches it on; a new one is on. */
const saveCampaign =
  (isSwitchedOn: boolean): Action =>
  async (deps, request) => {
    const { api } = deps;
    const { account, form, place, onUnchanged } = request;
    const address = addressOf(form);
    const before = await api.campaign.read(account);
    if (address === '' && before.address !== null) return askAboutEmptyAddress(deps, request);
    if (address === '') throw invalid([{ path: 'address', message: 'is required' }]);
    const active = isSwitchedOn || before.active || before.address === null;
    const ifVersion = ifVersionOf(form) ?? ((version) => version === versionOf(before));
    let saved = before;
    const lost = await changeAddress(api, account, 'campaign', async () => {
      saved = await api.campaign.write(
        account,
        parseOrThrow(campaignWebhookInput, { address, active }),
        onUnchanged,
        ifVersion,
      );
    });
    const { active: isOn } = saved;
    return done(place, [isOn ? outcomes.campaignSaved : outcomes.campaignSavedOff, lost], { isWarning: !isOn });
  };

/** After a successful test of an address that is not the saved one. */
const offerToSave = (value: string, about: string, form: FormFields): Partial<Outcome> => {
  const { stay, type } = form;
  const fields = {
    address: addressOf(form),
    ...(type === undefined ? {} : { type }),
    ...(stay === undefined ? {} : { stay }),
    ...fieldsLike(form),
  };
  const offer = { value, text: outcomes.saveAddress, busy: texts.setup.saving, fields, about };
  return { advice: outcomes.notSaved, offer };
};

async function testCampaign(
  { api }: ActionDeps,
  { account, form, place }: ActionRequest,
  send: 'connection' | 'batch',
): Promise<{ readonly isAccepted: boolean; readonly outcome: Outcome }> {
  const address = addressOf(form);
  if (address === '') throw invalid([{ path: 'address', message: 'is required for the test' }]);
  const result = await api.campaign.test(account, parseOrThrow(campaignTestInput, { address, send }));
  const success = outcomes.batchConfirmed({ types: listOf(Object.keys(CAMPAIGN_TYPES)) });
  const outcome = ofTest(place, result, success, address);
  const isUnsaved = outcome.isGood && (await api.campaign.read(account)).address !== address;
  const offer = isUnsaved ? offerToSave('save-campaign', 'campaign-form-part', form) : {};
  return { isAccepted: result.success, outcome: { ...outcome, draft: form, ...offer } };
}

const testBatch: Action = async (deps, request) => (await testCampaign(deps, request, 'batch')).outcome;

/** Some servers answer the connection test correctly and batches with another status, so a sample batch follows. */
const testConnection: Action = async (deps, request) => {
  const connection = await testCampaign(deps, request, 'connection');
  if (!connection.isAccepted) return connection.outcome;
  const batch = await testBatch(deps, request);
  const text = batch.isGood ? outcomes.testsPassed : [outcomes.batchFailed, ' ', batch.text];
  return { ...batch, text };
};

const check =
  (kind: 'campaign' | 'transactional'): Action =>
  async ({ api }, { account, form, place }) => {
    const report = await api.receiverCheck(
      account,
      parseOrThrow(receiverCheckInput, { address: addressOf(form), kind }),
      form['id'],
    );
    return { ...done(place, textOfReport(report)), isGood: report.failed === 0, report, draft: form };
  };

function textOfReport({ passed, failed, checks }: ReceiverReport): Content {
  if (failed > 0) return outcomes.checksFailed({ failed: count(failed), all: passed + failed });
  const warnings = checks.filter(({ outcome }) => outcome === 'warning').length;
  return warnings === 0 ? outcomes.checksPassed({ passed }) : outcomes.couldBeBetter({ results: warnings });
}

/** An active subscription of this type with this address, other than `id`. Its receiver would get each event twice. */
async function findDuplicate(api: CustomerServices, account: string, form: FormFields): Promise<boolean> {
  const { address, type, id } = { address: addressOf(form), type: field(form, 'type'), id: field(form, 'id') };
  const all = await api.subscriptions.list(account);
  const isOn = id === '' || field(form, 'do').endsWith('-on') || all.some((one) => one.id === id && one.active);
  return isOn && all.some((one) => one.id !== id && one.active && one.type === type && isSame(one.address, address));
}

const isSame = (a: string, b: string): boolean =>
  URL.canParse(a) && URL.canParse(b) ? new URL(a).href === new URL(b).href : a === b;

/** Does something only after the customer has confirmed that the receiver gets each event twice. */
const unlessDuplicate =
  (action: Action): Action =>
  async (deps, request) => {
    const { account, form, place } = request;
    if (!(await findDuplicate(deps.api, account, form))) return action(deps, request);
    const text = outcomes.duplicate({ type: field(form, 'type') });
    return { place, isGood: false, status: 409, text, draft: form, question: `${field(form, 'do')}-anyway` };
  };

const createSubscription: Action = async ({ api }, { account, form, place }) => {
  const type = field(form, 'type');
  await api.subscriptions.create(
    account,
    parseOrThrow(subscriptionInput, { address: addressOf(form), type, module: MODULE }),
  );
  return done(place, outcomes.subscriptionAdded({ type }));
};

const testSubscription: Action = async ({ api }, { account, form, place }) => {
  const [type, address] = [field(form, 'type'), addressOf(form)];
  const result = await api.notificationTest(
    account,
    parseOrThrow(subscriptionInput, { address, type, module: MODULE }),
    form['id'],
  );
  const outcome = ofTest(place, result, outcomes.notificationTaken({ type }), address);
  const isNew = place === 'new-subscription' && outcome.isGood;
  return { ...outcome, draft: form, ...(isNew ? offerToSave('create-subscription', 'new-subscription', form) : {}) };
};

const editSubscription =
  (isSwitchedOn: boolean): Action =>
  async ({ api }, { account, form, place, onUnchanged }) => {
    const change = { address: addressOf(form), type: field(form, 'type'), module: MODULE };
    const id = field(form, 'id');
    const lost = await changeAddress(api, account, id, () =>
      api.subscriptions.edit(
        account,
        id,
        parseOrThrow(subscriptionEdit, isSwitchedOn ? { ...change, active: true } : change),
        onUnchanged,
        ifVersionOf(form),
      ),
    );
    if (isSwitchedOn) return done(place, [outcomes.savedAndOn, lost]);
    const { active } = await api.subscriptions.read(account, id);
    return done(place, [active ? outcomes.subscriptionSaved : outcomes.subscriptionSavedOff, lost], {
      isWarning: !active,
    });
  };

const switchOn: Action = async ({ api }, { account, form, place, onUnchanged }) => {
  await api.subscriptions.edit(account, field(form, 'id'), { module: MODULE, active: true }, onUnchanged);
  return done(place, outcomes.switchedOn);
};

const pause: Action = async ({ api }, { account, form, place }) => {
  const minutes = Number(field(form, 'minutes'));
  await api.destinationActions.pause(
    account,
    field(form, 'destination'),
    parseOrThrow(customerPauseInput, { minutes }),
  );
  return done(place, outcomes.paused);
};

const resume: Action = async ({ api }, { account, form, place }) => {
  await api.destinationActions.resume(account, field(form, 'destination'));
  return done(place, outcomes.resumed);
};

const sendNow: Action = async ({ api }, { account, form, place }) => {
  const deadLetters = form['deadLetters'] !== undefined;
  const { sending, redriven } = await api.destinationActions.sendNow(account, field(form, 'destination'), {
    deadLetters,
  });
  const letters = deadLetters && [' ', outcomes.sendsLetters({ letters: redriven })];
  return done(place, [outcomes.sendsNow({ events: sending }), letters, ' ', outcomes.restWaits]);
};

const saveSettings: Action = async ({ api }, { account, form, place, onUnchanged }) => {
  const { headers, ...limits } = await api.destinationSettings.write(
    account,
    field(form, 'destination'),
    parseOrThrow(destinationSettingsInput, { headers: headersOf(form), ...limitsOfForm(form) }),
    onUnchanged,
    ifVersionOf(form),
  );
  const names = Object.keys(headers);
  const said = namesOf(LIMITS).map((name) => {
    const limit = limits[name];
    return limit !== null && [' ', outcomes[name]({ limit })];
  });
  const sent = names.length === 0 ? outcomes.sendsNoHeaders : outcomes.sendsHeaders({ names: listOf(names) });
  return done(place, [sent, said]);
};

/** Creates a secret of the account, or of the destination that the form names. */
const createSecret: Action = async ({ api }, { account, form, place }) => {
  const { destination } = form;
  const { secret } = await (destination === undefined
    ? api.secrets.create(account)
    : api.destinationSecrets.create(account, destination));
  return done(place, destination === undefined ? outcomes.secretCreated : outcomes.ownSecretCreated, { secret });
};

const deleteSecret: Action = async ({ api }, { account, form, place }) => {
  const { destination } = form;
  if (destination === undefined) await api.secrets.remove(account, field(form, 'id'));
  else await api.destinationSecrets.remove(account, destination, field(form, 'id'));
  return done(place, outcomes.secretDeleted);
};

const ofSubscription = (form: FormFields): OutcomePlace => `subscription-${field(form, 'id')}`;
const ofDestination = (form: FormFields): OutcomePlace => {
  const destination = field(form, 'destination') || field(form, 'id') || 'campaign';
  return destination === 'campaign' ? destination : `subscription-${destination}`;
};
const ofSecret = (form: FormFields): OutcomePlace => (form['destination'] === undefined ? 'secrets' : 'own-secrets');
const always = (place: OutcomePlace) => (): OutcomePlace => place;

/** The actions of the page's buttons by their value, and the places of the outcomes. */
const ACTIONS: ReadonlyMap<string, { readonly run: Action; readonly placeOf: (form: FormFields) => OutcomePlace }> =
  new Map([
    ['save-campaign', { run: saveCampaign(false), placeOf: always('campaign') }],
    ['save-campaign-on', { run: saveCampaign(true), placeOf: always('campaign') }],
    ['test-campaign', { run: testConnection, placeOf: always('campaign') }],
    ['test-batch', { run: testBatch, placeOf: always('campaign') }],
    ['check-campaign', { run: check('campaign'), placeOf: always('campaign') }],
    ['create-subscription', { run: unlessDuplicate(createSubscription), placeOf: always('new-subscription') }],
    ['create-subscription-anyway', { run: createSubscription, placeOf: always('new-subscription') }],
    ['test-new-subscription', { run: testSubscription, placeOf: always('new-subscription') }],
    ['edit-subscription', { run: unlessDuplicate(editSubscription(false)), placeOf: ofSubscription }],
    ['edit-subscription-anyway', { run: editSubscription(false), placeOf: ofSubscription }],
    ['edit-subscription-on', { run: unlessDuplicate(editSubscription(true)), placeOf: ofSubscription }],
    ['edit-subscription-on-anyway', { run: editSubscription(true), placeOf: ofSubscription }],
    ['test-subscription', { run: testSubscription, placeOf: ofSubscription }],
    ['check-subscription', { run: check('transactional'), placeOf: ofSubscription }],
    ['switch-on', { run: switchOn, placeOf: ofSubscription }],
    ...STOP_ACTIONS.map(([value, run]) => [value, { run, placeOf: ofDestination }] as const),
    ['pause', { run: pause, placeOf: ofDestination }],
    ['resume', { run: resume, placeOf: ofDestination }],
    ['send-now', { run: sendNow, placeOf: ofDestination }],
    [SAVE_SETTINGS, { run: saveSettings, placeOf: always('login') }],
    ...DEAD_LETTER_ACTIONS.map(([value, run]) => [value, { run, placeOf: always('dead-letters') }] as const),
    [CREATE_SECRET, { run: createSecret, placeOf: ofSecret }],
    ...ALERT_ACTIONS.map(([value, run]) => [value, { run, placeOf: always('alerts') }] as const),
    [DELETE_SECRET, { run: deleteSecret, placeOf: ofSecret }],
  ]);

/** The part of the page that shows the outcome of the pressed button. */
export const placeOf = (form: FormFields): OutcomePlace => ACTIONS.get(field(form, 'do'))?.placeOf(form) ?? 'page';

/** Runs the action of a button. Never rejects, because a failure is an outcome too. */
export async function act(deps: ActionDeps, session: Session, form: FormFields, by: Origin): Promise<Outcome> {
  const { account, access, operator } = session;
  const action = ACTIONS.get(field(form, 'do'));
  const place = placeOf(form);
  try {
    if (action === undefined) throw new ProblemError('not_found', { detail: coded('unknown-button') });
    if (access === 'read') return { place, isGood: false, status: 403, text: outcomes.readOnly, draft: form };
    const noted = { isUnchanged: false };
    const onUnchanged = (): void => void (noted.isUnchanged = true);
    const outcome = await action.run(deps, { account, form, place, onUnchanged });
    const object = field(form, 'id') || field(form, 'destination') || undefined;
    const actor = operator !== undefined ? 'operator' : 'customer';
    const pressed = { actor, via: 'settings page', account, object, ...by } as const;
    if (outcome.status < 400 && !noted.isUnchanged) await auditButton(deps.audit, field(form, 'do'), pressed);
    return outcome;
  } catch (error) {
    const problem = deps.asProblem(error);
    if (problem.status >= 500)
      deps.logger.error('an action of the settings page failed', { code: problem.code, error });
    if (problem.code === 'precondition_failed') return outdatedForm(place, form);
    // A deleted subscription has no place on the page any more.
    const isGone = problem.code === 'not_found' && place.startsWith('subscription-');
    return ofProblem(isGone ? 'subscriptions' : place, problem, form);
  }
}
