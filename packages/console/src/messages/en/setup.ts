import { markup } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';
import type { Around } from '../catalog.ts';

/** The forms of the campaign webhook and of subscriptions. */
export const setup = {
  webhookOff: ({ reason }: { reason: Content }) => markup`Mailhook switched this webhook off: ${reason}.`,
  webhookOffFix:
    'New events are not kept. Enter the address that is used now, or make your server answer at this one. Then press “Save and switch on”.',
  url: 'Webhook URL',
  urlHint: 'Where your server receives the batches, such as https://example.com/mail-events.',
  saveAndSwitchOn: 'Save and switch on',
  save: 'Save',
  saving: 'Saving…',
  testConnection: 'Test connection',
  testing: 'Testing…',
  sendBatch: 'Send sample batch',
  sending: 'Sending…',
  check: 'Check my receiver',
  checking: 'Checking, up to a minute…',

  event: 'Event',
  receiverAddress: 'Receiver address',
  address: 'Address',
  campaignLead:
    'Opens, clicks and unsubscribes of your campaigns, in batches of up to 1,000 events. Your server confirms each event by its hash.',
  eventAndAddress: 'Event and address',
  eventAndAddressLead: 'Waiting events go to the new address too.',
  subscriptionOff: ({ strong, time }: { strong: Around; time: Content }) =>
    markup`${strong('Mailhook switched this off: your server answered 410 Gone')} (${time}). Enter the address that is used now, then press “Update and switch on”.`,
  updateAndSwitchOn: 'Update and switch on',
  update: 'Update',
  updating: 'Updating…',
  switchOn: 'Switch on',
  switching: 'Switching…',
  updateAnyway: 'Update anyway',

  stop: 'Stop deliveries',
  stopLead: 'A pause keeps new events. All else on this list loses them.',
  pause: 'Pause…',
  switchOff: 'Switch off…',
  removeAddress: 'Remove address…',
  delete: 'Delete…',
  counting: 'Counting…',
};
