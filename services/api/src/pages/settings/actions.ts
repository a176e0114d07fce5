import { count, plural } from '@mailhook/core';
import type { CampaignWebhook } from '@mailhook/core';
import { asProblem, invalid, ProblemError } from '@mailhook/platform/http-server';
import type { FormFields } from '@mailhook/platform/http-server';
import type { Logger } from '@mailhook/platform/logger';
import type { AuditLog } from '../../audit/audit-log.ts';
import { auditButton } from '../../audit/audit-requests.ts';
import { readOnly } from '../../auth/authenticate.ts';
import type { Session } from '../../auth/sessions.ts';
import { translateError } from '../../http/errors.ts';
import type { AccountApi } from '../../customer-api/account-api.ts';

import { headersOf, paceOf, SAVE_SETTINGS } from './login-section.ts';
import type { Outcome, OutcomePlace } from './outcome.ts';
import { done, ofProblem, ofTest } from './outcome.ts';

export interface ActionDeps {
  readonly api: AccountApi;
  readonly audit: AuditLog;
  readonly logger: Logger;
}

interface Request {
  readonly account: string;
  readonly form: FormFields;
  readonly place: OutcomePlace;
}

type Action = (deps: ActionDeps, request: Request) => Promise<Outcome>;

const MODULE = 'transactional_email';
const field = (form: FormFields, name: string): string => form[name] ?? '';
/** Removes the spaces around a pasted address. */
const addressOf = (form: FormFields): string => field(form, 'address').trim();

const isSigned = async (api: AccountApi, account: string): Promise<boolean> =>
  (await api.secrets.list(account)).length > 0;

/** Runs a change of an address. Resolves with a sentence if the custom headers of the destination belong to the old one, or else with ''. */
async function changeAddress(api: AccountApi, account: string, destination: string, change: () => Promise<unknown>) {
  const names = async () => Object.keys((await api.destinationSettings.list(account)).get(destination)?.headers ?? {});
  const before = await names();
  await change();
  const isLost = before.length > 0 && (await names()).length === 0;
  return isLost
    ? ' Its login and headers were for another server, and are not sent to this one: enter them again.'
    : '';
}

const saveCampaign: Action = async ({ api }, { account, form, place }) => {
  const address = addressOf(form);
  const active = form['active'] !== undefined;
  let saved: CampaignWebhook = { address: null, active: false };
  const lost = await changeAddress(api, account, 'campaign', async () => {
    saved = await api.campaign.write(account, { address: address === '' ? null : address, active });
  });
  if (saved.address === null)
    return done(place, 'Saved. There is no address now, so no campaign events are delivered.');
  return saved.active
    ? done(place, `Saved. Campaign events are delivered to this address from now on.${lost}`)
    : done(place, `Saved. The webhook is off: no campaign events are delivered.${lost}`);
};

const testCampaign =
  (send: 'connection' | 'batch', success: string): Action =>
  async ({ api }, { account, form, place }) => {
    const address = addressOf(form);
    if (address === '') throw invalid([{ path: 'address', message: 'is required for the test' }]);
    const result = await api.campaign.test(account, { address, send });
    const outcome = ofTest(place, result, success, { address, isSigned: await isSigned(api, account) });
    return { ...outcome, draft: form };
  };

const testConnection = testCampaign('connection', 'Success. Your server answered the connection test as it should.');
const testBatch = testCampaign('batch', 'Success. Your server confirmed an open, a click and an unsubscribe.');

const check =
  (kind: 'campaign' | 'transactional'): Action =>
  async ({ api }, { account, form, place }) => {
    const report = await api.receiverCheck(account, { address: addressOf(form), kind });
    const { passed, failed } = report;
    const text =
      failed === 0
        ? `All is well: ${passed} checks passed.`
        : `${failed} of ${passed + failed} checks failed. See below how to fix each one.`;
    return { ...done(place, text), isGood: failed === 0, report, draft: form };
  };

const createSubscription: Action = async ({ api }, { account, form, place }) => {
  const type = field(form, 'type');
  await api.subscriptions.create(account, { address: addressOf(form), type, module: MODULE });
  return done(place, `Added. Every ${type} of a transactional message is sent there from now on.`);
};

const testSubscription: Action = async ({ api }, { account, form, place }) => {
  const [type, address] = [field(form, 'type'), addressOf(form)];
  const result = await api.notificationTest(account, { address, type, module: MODULE });
  const success = `Success. Your server took the sample ${type} notification.`;
  const outcome = ofTest(place, result, success, { address, isSigned: await isSigned(api, account) });
  return { ...outcome, draft: form };
};

const editSubscription: Action = async ({ api }, { account, form, place }) => {
  const change = { address: addressOf(form), type: field(form, 'type'), module: MODULE };
  const id = field(form, 'id');
  const lost = await changeAddress(api, account, id, () => api.subscriptions.edit(account, id, change));
  return done(
    place,
    `Saved. Waiting events go to the new address too. Press “Send everything now” if resends should not wait for their time.${lost}`,
  );
};

const switchSubscription =
  (active: boolean): Action =>
  async ({ api }, { account, form, place }) => {
    await api.subscriptions.edit(account, field(form, 'id'), { module: MODULE, active });
    return done(
      place,
      active
        ? 'Switched on.'
        : 'Switched off. New events are not kept. Waiting events become dead letters, which you can deliver again once this is on.',
    );
  };

const deleteSubscription: Action = async ({ api }, { account, form }) => {
  await api.subscriptions.remove(account, field(form, 'id'));
  return done('subscriptions', 'Deleted. The waiting events of this subscription are discarded.');
};

const redrive: Action = async ({ api }, { account, form, place }) => {
  const id = form['id'];
  const { redriven, inactive = 0 } = await api.deadLetters.redrive(account, id === undefined ? {} : { ids: [id] });
  if (redriven === 0 && inactive === 0) return done(place, 'There was nothing left to deliver again.');
  const stayed =
    inactive === 0
      ? ''
      : `${plural(inactive, 'dead letter stays', 'dead letters stay')}, because the destination is off or deleted. Switch it on first.`;
  if (redriven === 0) return { ...done(place, stayed), isGood: false, status: 409 };
  const sent = `${redriven === 1 ? 'One dead letter is' : `${count(redriven)} dead letters are`} on the way again.`;
  return done(place, `${sent} ${stayed}`.trim());
};

const pause: Action = async ({ api }, { account, form, place }) => {
  const minutes = Number(field(form, 'minutes'));
  await api.destinationActions.pause(account, field(form, 'destination'), { minutes });
  return done(place, 'Paused. New events are kept, and sent when the pause ends or you press “Resume”.');
};

const resume: Action = async ({ api }, { account, form, place }) => {
  await api.destinationActions.resume(account, field(form, 'destination'));
  return done(place, 'Resumed. Waiting events are sent now.');
};

const sendNow: Action = async ({ api }, { account, form, place }) => {
  const deadLetters = form['deadLetters'] !== undefined;
  const { sending, redriven } = await api.destinationActions.sendNow(account, field(form, 'destination'), {
    deadLetters,
  });
  const letters = deadLetters ? `, with ${plural(redriven, 'dead letter', 'dead letters')}` : '';
  return done(
    place,
    `Mailhook sends ${plural(sending, 'waiting event', 'waiting events')} now${letters}, as fast as your server takes them. If it still fails, the rest keeps its schedule.`,
  );
};

const saveSettings: Action = async ({ api }, { account, form, place }) => {
  const { headers, maxRequestsPerSecond } = await api.destinationSettings.write(account, field(form, 'destination'), {
    headers: headersOf(form),
    maxRequestsPerSecond: paceOf(form),
  });
  const names = Object.keys(headers);
  const pace =
    maxRequestsPerSecond === null
      ? ''
      : `, and at most ${plural(maxRequestsPerSecond, 'request', 'requests')} per second`;
  return done(
    place,
    names.length === 0
      ? `Saved. Mailhook sends no login and no headers that you set${pace}.`
      : `Saved. Every request to this address has ${new Intl.ListFormat('en').format(names)} from now on, tests too${pace}.`,
  );
};

const createSecret: Action = async ({ api }, { account, place }) => {
  const { secret } = await api.secrets.create(account);
  return done(place, 'Every request is signed with this secret from now on.', { secret });
};

const deleteSecret: Action = async ({ api }, { account, form, place }) => {
  await api.secrets.remove(account, field(form, 'id'));
  return done(place, 'Deleted. Mailhook stops signing with this secret within seconds.');
};

const ofSubscription = (form: FormFields): OutcomePlace => `subscription-${field(form, 'id')}`;
const ofDestination = (form: FormFields): OutcomePlace => {
  const destination = field(form, 'destination');
  return destination === 'campaign' ? destination : `subscription-${destination}`;
};
const always = (place: OutcomePlace) => (): OutcomePlace => place;

/** The actions of the page's buttons by their value, and the places of the outcomes. */
const ACTIONS: ReadonlyMap<string, { readonly run: Action; readonly placeOf: (form: FormFields) => OutcomePlace }> =
  new Map([
    ['save-campaign', { run: saveCampaign, placeOf: always('campaign') }],
    ['test-campaign', { run: testConnection, placeOf: always('campaign') }],
    ['test-batch', { run: testBatch, placeOf: always('campaign') }],
    ['check-campaign', { run: check('campaign'), placeOf: always('campaign') }],
    ['create-subscription', { run: createSubscription, placeOf: always('new-subscription') }],
    ['test-new-subscription', { run: testSubscription, placeOf: always('new-subscription') }],
    ['edit-subscription', { run: editSubscription, placeOf: ofSubscription }],
    ['test-subscription', { run: testSubscription, placeOf: ofSubscription }],
    ['check-subscription', { run: check('transactional'), placeOf: ofSubscription }],
    ['switch-on', { run: switchSubscription(true), placeOf: ofSubscription }],
    ['switch-off', { run: switchSubscription(false), placeOf: ofSubscription }],
    ['delete-subscription', { run: deleteSubscription, placeOf: ofSubscription }],
    ['pause', { run: pause, placeOf: ofDestination }],
    ['resume', { run: resume, placeOf: ofDestination }],
    ['send-now', { run: sendNow, placeOf: ofDestination }],
    [SAVE_SETTINGS, { run: saveSettings, placeOf: always('login') }],
    ['redrive', { run: redrive, placeOf: always('dead-letters') }],
    ['create-secret', { run: createSecret, placeOf: always('secrets') }],
    ['delete-secret', { run: deleteSecret, placeOf: always('secrets') }],
  ]);

/** Runs the action of a button. Never rejects, because a failure is an outcome too. */
export async function act(deps: ActionDeps, { account, access }: Session, form: FormFields): Promise<Outcome> {
  const action = ACTIONS.get(field(form, 'do'));
  const place = action?.placeOf(form) ?? 'page';
  try {
    if (action === undefined) throw new ProblemError('not_found', { detail: 'This page has no such button.' });
    if (access === 'read') throw readOnly();
    const outcome = await action.run(deps, { account, form, place });
    const object = field(form, 'id') || field(form, 'destination') || undefined;
    const pressed = { actor: 'customer', via: 'settings page', account, object } as const;
    if (outcome.status < 400) await auditButton(deps.audit, field(form, 'do'), pressed);
    return outcome;
  } catch (error) {
    const problem = asProblem(error, translateError);
    if (problem.status >= 500)
      deps.logger.error('an action of the settings page failed', { code: problem.code, error });
    // A deleted subscription has no place on the page any more.
    const isGone = problem.code === 'not_found' && place.startsWith('subscription-');
    return ofProblem(isGone ? 'subscriptions' : place, problem, form);
  }
}
