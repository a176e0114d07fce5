import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';

const plural = pluralIn('en');

/** What the buttons of endpoints and secrets have done. */
export const outcomes = {
  correctFields: 'Correct the marked fields, then try again.',
  changedMeanwhile:
    'Nothing was saved, because this was changed after you opened the page. What you typed is still here, and the ' +
    'other fields show what is saved now. Save again to replace it.',
  ourFault: 'Mailhook cannot do this at the moment. Nothing that you typed is lost: try again in a minute.',
  readOnly: 'This access is for reading only. Ask for one that may manage webhooks.',

  headersLost: 'Its login and headers were for another server, and are not sent to this one: enter them again.',
  campaignSaved: 'Saved. Campaign events are delivered to this address from now on.',
  campaignSavedOff: 'Saved. The webhook is still off: no campaign events are delivered.',
  notSaved: 'Not saved yet.',
  notCreated: 'It is not created yet.',
  saveAddress: 'Save this address',
  batchConfirmed: ({ types }: { types: Content }) =>
    html`Success. Your server confirmed one event of each type: ${types}.`,
  testsPassed: 'Success. Your server answered the connection test as it should. It also confirmed a sample batch.',
  batchFailed: 'Your server answered the connection test, but did not confirm a sample batch.',
  checksFailed: ({ failed, all }: { failed: Content; all: number }) =>
    plural(all, (number) => ({
      one: html`${failed} of ${number} check failed. See below how to fix it.`,
      other: html`${failed} of ${number} checks failed. See below how to fix each one.`,
    })),
  checksPassed: ({ passed }: { passed: number }) =>
    plural(passed, (number) => ({
      one: `All is well: ${number} check passed.`,
      other: `All is well: ${number} checks passed.`,
    })),
  couldBeBetter: ({ results }: { results: number }) =>
    plural(results, (number) => ({
      one: `No check failed, but ${number} result could be better. See below.`,
      other: `No check failed, but ${number} results could be better. See below.`,
    })),

  duplicate: ({ type }: { type: Content }) =>
    html`Nothing was changed. Your server would get every ${type} twice, because another endpoint sends them to this
    address already.`,
  savedAndOn: 'Saved and switched on.',
  switchedOn: 'Switched on.',

  paused: 'Paused. New events are kept, and sent when the pause ends or you press “Resume”.',
  resumed: 'Resumed. Waiting events are sent now.',
  startedSending: ({ time, what }: { time: Content; what: Content }) =>
    html`Started at ${time}: ${what}, as fast as your server allows.`,
  waitingEvents: ({ events }: { events: number }) =>
    plural(events, (number) => ({ one: `${number} waiting event`, other: `${number} waiting events` })),
  deadLetters: ({ letters }: { letters: number }) =>
    plural(letters, (number) => ({ one: `${number} dead letter`, other: `${number} dead letters` })),
  restWaits: 'If it still fails, the rest keeps its schedule.',

  sendsNoHeaders: 'Saved. Mailhook sends no login and no headers that you set.',
  sendsHeaders: ({ names }: { names: Content }) =>
    html`Saved. Every request to this address has ${names} from now on, tests too.`,
  secretCreated: 'Requests are signed with this secret from now on, except to endpoints with their own secret.',
  ownSecretCreated:
    'Requests to this endpoint are signed with this secret from now on, and not with those of your account.',
  secretRolled: 'Requests are signed with this secret too from now on. The former one stops by itself.',
  secretDeleted: 'Deleted. Mailhook stops signing with this secret within seconds.',

  endpointAdded: ({ scope }: { scope: Content }) => html`Created. ${scope}.`,
  wouldGet: ({ scope }: { scope: Content }) => html`Not saved yet. ${scope}.`,
  sampleTaken: ({ type }: { type: string }) => `Success. Your server took the sample ${type} event.`,
  endpointSaved: 'Saved.',
  newAddress:
    'Waiting events go to the new address too. Press “Send everything now” if resends should not wait for ' +
    'their time.',
  endpointSavedOff: 'Saved. The endpoint is still off: no events are delivered.',
  leavesList:
    'Nothing was changed. With these settings, it will no longer be in /v3/webhook/subscriptions. Its id stays ' +
    'the same, and /v3/webhook/destinations has it.',
};
