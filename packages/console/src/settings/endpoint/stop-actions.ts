import { customerPauseInput } from '@mailhook/core';
import type { DestinationStatus, CustomerServices } from '@mailhook/core';
import { parseOrThrow, versionOf } from '@mailhook/platform/http-server';
import type { FormFields } from '@mailhook/platform/http-server';
import { timeOf } from '../../html/elements.ts';
import { listOf } from '../../html/formats.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { redirectTargetOf } from '../deliveries/attempt-detail.ts';
import type { Dialog, Said } from '../../page/outcome.ts';
import { savedFieldsOf } from '../shared/endpoint-form.ts';
import { fieldsFrom } from '../shared/made-from.ts';
import { asks, done, refused } from '../../page/outcome.ts';
import { endpointIn, ofEndpoint } from '../shared/change-address.ts';
import { action } from '../family.ts';
import type { CustomerActions } from '../family.ts';

const { stops } = texts;

async function statusOf(api: CustomerServices, account: string, id: string): Promise<DestinationStatus | undefined> {
  return (await api.destinations.list(account)).find(({ destination }) => destination === id);
}

/** What happens to the waiting events. */
function fateOf(status: DestinationStatus | undefined, isDeleted: boolean): Content {
  const events = status?.waiting ?? 0;
  if (events === 0) return stops.noneWaits;
  return isDeleted ? stops.discards({ events }) : stops.givesUp({ events });
}

const askOff = action({
  audit: false,
  place: ofEndpoint,
  run: async ({ api, account, form }) => {
    const id = endpointIn(form);
    return asks({
      title: stops.offTitle,
      lines: [[stops.notKept, ' ', stops.pauseKeeps], fateOf(await statusOf(api, account, id), false)],
      fields: { destination: id, minutes: '1440' },
      buttons: [
        { id: 'pause-instead', value: 'pause', text: stops.pauseInstead, busy: stops.pausing, look: 'primary' },
        { id: 'confirm-off', value: 'switch-off', text: stops.switchOff, busy: stops.switching, look: 'danger' },
      ],
    });
  },
});

async function removeDialog(api: CustomerServices, account: string): Promise<Dialog> {
  return {
    title: stops.removeTitle,
    lines: [[stops.withoutAddress, ' ', stops.notKept], fateOf(await statusOf(api, account, 'campaign'), false)],
    fields: { destination: 'campaign' },
    about: 'campaign-form-part',
    buttons: [
      { id: 'confirm-remove', value: 'delete-endpoint', text: stops.remove, busy: stops.removing, look: 'danger' },
    ],
  };
}

/** An emptied field may be a slip, and without an address the waiting events become dead letters. */
export const askAboutEmptyAddress = async (
  api: CustomerServices,
  account: string,
  form: FormFields,
): Promise<Said> => ({
  ...asks(await removeDialog(api, account)),
  isGood: false,
  status: 422,
  draft: form,
  text: stops.emptied,
  errors: { address: texts.faults.empty },
});

const askDelete = action({
  audit: false,
  place: ofEndpoint,
  run: async ({ api, account, form }) => {
    const id = endpointIn(form);
    if (id === 'campaign') return asks(await removeDialog(api, account));
    return asks({
      title: stops.deleteTitle,
      lines: [[stops.deletesAll, ' ', stops.notKept], fateOf(await statusOf(api, account, id), true)],
      fields: { destination: id },
      buttons: [
        {
          id: 'confirm-delete',
          value: 'delete-endpoint',
          text: stops.delete,
          busy: stops.deleting,
          look: 'danger',
        },
      ],
    });
  },
});

/** The button that asks whether to use the address that the receiver redirects to. */
export const ASK_NEW_ADDRESS = 'ask-new-address';

const askNewAddress = action({
  audit: false,
  place: ofEndpoint,
  run: async ({ api, account, form }) => {
    const id = endpointIn(form);
    const { items } = await api.deliveries(account, { destination: id, limit: 50 });
    const newest = items.find(({ error }) => error?.code === 'redirect');
    const address = newest && redirectTargetOf(await api.readAttempt(account, newest.id));
    if (address === undefined) return refused(404, stops.noNewAddress);
    const isCampaign = id === 'campaign';
    const { settings } = await api.destinationSettings.read(account, id);
    const made = isCampaign ? await api.campaign.read(account) : savedFieldsOf({ ...settings, id });
    const from = fieldsFrom(versionOf(made), { address: settings.address });
    return asks({
      title: stops.newAddressTitle,
      lines: [texts.attempt.redirects({ target: html`<code>${address}</code>` }), stops.newAddress],
      fields: { destination: id, address, ...from },
      about: isCampaign ? 'campaign-form-part' : `edit-${id}`,
      buttons: [
        {
          id: 'confirm-address',
          value: isCampaign ? 'save-campaign' : 'save-endpoint',
          text: texts.outcomes.saveAddress,
          busy: texts.setup.saving,
          look: 'primary',
        },
      ],
    });
  },
});

/** In minutes. */
const PAUSES: readonly (readonly [number, Content])[] = [
  [60, stops.hours({ hours: 1 })],
  [240, stops.hours({ hours: 4 })],
  [1440, stops.days({ days: 1 })],
  [4320, stops.days({ days: 3 })],
];

const pauseControl = (): Markup =>
  html`<div class="field">
    <label for="pause-minutes">${stops.pauseFor}</label>
    <select id="pause-minutes" name="minutes">
      ${PAUSES.map(([minutes, text]) => html`<option value="${minutes}">${text}</option>`)}
    </select>
  </div>`;

const askPause = action({
  audit: false,
  place: ofEndpoint,
  run: async ({ api, account, form }) => {
    const id = endpointIn(form);
    const events = (await statusOf(api, account, id))?.waiting ?? 0;
    return asks({
      title: stops.pauseTitle,
      lines: [stops.pauseText, events === 0 ? stops.noneWaits : stops.keeps({ events })],
      fields: { destination: id },
      control: pauseControl(),
      buttons: [{ id: 'confirm-pause', value: 'pause', text: stops.pause, busy: stops.pausing, look: 'primary' }],
    });
  },
});

const resume = action({
  audit: 'resume',
  place: ofEndpoint,
  run: async ({ api, account, form }) => {
    await api.destinationActions.resume(account, endpointIn(form));
    return done(texts.outcomes.resumed);
  },
});

const pause = action({
  audit: 'pause',
  place: ofEndpoint,
  input: ({ minutes }) => parseOrThrow(customerPauseInput, { minutes: Number(minutes) }),
  run: async ({ api, account, form, input }) => {
    await api.destinationActions.pause(account, endpointIn(form), input);
    return done(texts.outcomes.paused);
  },
});

const sendNow = action({
  audit: 'send now',
  place: ofEndpoint,
  run: async ({ api, account, form }) => {
    const deadLetters = form['deadLetters'] !== undefined;
    const { sending, redriven } = await api.destinationActions.sendNow(account, endpointIn(form), {
      deadLetters,
    });
    const { outcomes } = texts;
    const what = [
      ...(sending > 0 || redriven === 0 ? [outcomes.waitingEvents({ events: sending })] : []),
      ...(deadLetters ? [outcomes.deadLetters({ letters: redriven })] : []),
    ];
    const time = timeOf(new Date().toISOString());
    return done([outcomes.startedSending({ time, what: listOf(what) }), ' ', outcomes.restWaits]);
  },
});

/** The buttons that stop deliveries, start them again, or ask first. */
export const stopActions: CustomerActions = {
  'ask-off': askOff,
  'ask-delete': askDelete,
  'ask-pause': askPause,
  [ASK_NEW_ADDRESS]: askNewAddress,
  pause,
  resume,
  'send-now': sendNow,
};
