import { plural } from '@mailhook/core';
import type { DestinationStatus } from '@mailhook/core';
import type { FormFields } from '@mailhook/platform/http-server';
import type { AccountApi } from '../account-api.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import { field } from './action.ts';
import type { Action } from './action.ts';
import type { Dialog } from './dialog.ts';
import type { Offer, Outcome } from './outcome.ts';
import { asks, done } from './outcome.ts';

const MODULE = 'transactional_email';

/** The forms of these buttons name the destination by its id, or `campaign`. */
const idOf = (form: FormFields): string => field(form, 'destination') || field(form, 'id');

async function statusOf(api: AccountApi, account: string, id: string): Promise<DestinationStatus | undefined> {
  const none = { address: null, active: false };
  const settings =
    id === 'campaign'
      ? { campaign: await api.campaign.read(account), subscriptions: [] }
      : { campaign: none, subscriptions: [await api.subscriptions.read(account, id)] };
  return (await api.destinations.of(account, settings))[0];
}

const NONE_WAITS = 'No events wait for this endpoint now.';

/** What happens to the waiting events. */
function fateOf(status: DestinationStatus | undefined, isDeleted: boolean): string {
  const waiting = status?.waiting ?? 0;
  if (waiting === 0) return NONE_WAITS;
  return isDeleted
    ? `${plural(waiting, 'waiting event is', 'waiting events are')} discarded, and nobody can bring ${waiting === 1 ? 'it' : 'them'} back.`
    : `${plural(waiting, 'waiting event becomes a dead letter', 'waiting events become dead letters')}, which you can deliver again for 7 days.`;
}

const NOT_KEPT = 'New events are not kept from then on, and nobody can bring them back.';

const askOff: Action = async ({ api }, { account, form, place }) => {
  const id = idOf(form);
  const value = id === 'campaign' ? 'switch-off-campaign' : 'switch-off';
  return asks(place, {
    title: 'Switch this endpoint off?',
    lines: [`${NOT_KEPT} A pause keeps them.`, fateOf(await statusOf(api, account, id), false)],
    fields: { id, destination: id, minutes: '1440' },
    buttons: [
      { id: 'pause-instead', value: 'pause', text: 'Pause for 1 day instead', busy: 'Pausing…', look: 'primary' },
      { id: 'confirm-off', value, text: 'Switch off', busy: 'Switching…', look: 'danger' },
    ],
  });
};

async function removeDialog(api: AccountApi, account: string): Promise<Dialog> {
  return {
    title: 'Remove the address?',
    lines: [
      `Without an address, campaign events are not delivered. ${NOT_KEPT}`,
      fateOf(await statusOf(api, account, 'campaign'), false),
    ],
    fields: { destination: 'campaign' },
    about: 'campaign-form-part',
    buttons: [
      { id: 'confirm-remove', value: 'remove-campaign', text: 'Remove address', busy: 'Removing…', look: 'danger' },
    ],
  };
}

const askRemove: Action = async ({ api }, { account, place }) => asks(place, await removeDialog(api, account));

/** An emptied field may be a slip, and without an address the waiting events become dead letters. */
export const askAboutEmptyAddress: Action = async ({ api }, { account, form, place }) => ({
  ...asks(place, await removeDialog(api, account)),
  isGood: false,
  status: 422,
  draft: form,
  text: 'Nothing was changed. Enter an address, or press “Remove address”.',
  errors: { address: 'is empty' },
});

const askDelete: Action = async ({ api }, { account, form, place }) => {
  const id = field(form, 'id');
  return asks(place, {
    title: 'Delete this subscription?',
    lines: [
      `Its settings and signing secrets are deleted too. ${NOT_KEPT}`,
      fateOf(await statusOf(api, account, id), true),
    ],
    fields: { id },
    buttons: [
      {
        id: 'confirm-delete',
        value: 'delete-subscription',
        text: 'Delete subscription',
        busy: 'Deleting…',
        look: 'danger',
      },
    ],
  });
};

const PAUSES: readonly (readonly [number, string])[] = [
  [60, '1 hour'],
  [240, '4 hours'],
  [1440, '1 day'],
  [4320, '3 days'],
];

const pauseControl = (): Markup =>
  markup`<div class="field"><label for="pause-minutes">Pause for</label>
<select id="pause-minutes" name="minutes">${PAUSES.map(([minutes, text]) => markup`<option value="${minutes}">${text}</option>`)}</select></div>`;

const askPause: Action = async ({ api }, { account, form, place }) => {
  const id = idOf(form);
  const waiting = (await statusOf(api, account, id))?.waiting ?? 0;
  return asks(place, {
    title: 'Pause this endpoint?',
    lines: [
      'New events are kept, and sent when the pause ends. At the account’s limit of waiting events, the newest are refused.',
      waiting === 0 ? NONE_WAITS : `${plural(waiting, 'waiting event is kept', 'waiting events are kept')} too.`,
    ],
    fields: { destination: id },
    control: pauseControl(),
    buttons: [{ id: 'confirm-pause', value: 'pause', text: 'Pause deliveries', busy: 'Pausing…', look: 'primary' }],
  });
};

const undoBy = (token: string): Offer => ({
  value: 'undo',
  text: 'Undo',
  busy: 'Undoing…',
  fields: { token },
  isBrief: true,
});

const SWITCHED_OFF =
  'Switched off. New events are not kept. Waiting events become dead letters, which you can deliver again once this is on.';

const switchOffCampaign: Action = async ({ api }, { account, place, onUnchanged }) => {
  const { address } = await api.campaign.read(account);
  const change = () => api.campaign.write(account, { address, active: false }, onUnchanged);
  return done(place, SWITCHED_OFF, { offer: undoBy(await api.undo.remember(account, 'campaign', change)) });
};

const removeCampaign: Action = async ({ api }, { account, place, onUnchanged }) => {
  const change = () => api.campaign.write(account, { address: null, active: false }, onUnchanged);
  const offer = undoBy(await api.undo.remember(account, 'campaign', change));
  return done(place, 'Removed. There is no address now, so no campaign events are delivered.', { offer });
};

const switchOff: Action = async ({ api }, { account, form, place, onUnchanged }) => {
  const id = field(form, 'id');
  const change = () => api.subscriptions.edit(account, id, { module: MODULE, active: false }, onUnchanged);
  return done(place, SWITCHED_OFF, { offer: undoBy(await api.undo.remember(account, id, change)) });
};

const deleteSubscription: Action = async ({ api }, { account, form }) => {
  const id = field(form, 'id');
  const offer = undoBy(await api.undo.remember(account, id, () => api.subscriptions.remove(account, id)));
  return done('subscriptions', 'Deleted. Its waiting events are discarded.', {
    offer,
    advice: 'Undo brings back the subscription with its settings and secrets, but not these events.',
  });
};

const undo: Action = async ({ api }, { account, form }): Promise<Outcome> => {
  const { destination, redriven } = await api.undo.run(account, field(form, 'token'));
  const place = destination === 'campaign' ? 'campaign' : (`subscription-${destination}` as const);
  const again = redriven === 0 ? '' : ` ${plural(redriven, 'dead letter is', 'dead letters are')} on the way again.`;
  return done(place, `Undone: everything is set as before.${again}`, {
    advice: 'Events that were sent to Mailhook in the meantime are not kept.',
  });
};

/** The buttons that stop deliveries, and what they ask first, by their value. */
export const STOP_ACTIONS: readonly (readonly [string, Action])[] = [
  ['ask-off', askOff],
  ['ask-remove', askRemove],
  ['ask-delete', askDelete],
  ['ask-pause', askPause],
  ['switch-off-campaign', switchOffCampaign],
  ['remove-campaign', removeCampaign],
  ['switch-off', switchOff],
  ['delete-subscription', deleteSubscription],
  ['undo', undo],
];
