/** The forms of the campaign webhook and of other endpoints. */
export const setup = {
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

  receiverAddress: 'Receiver address',
  address: 'Address',
  campaignLead:
    'Opens, clicks and unsubscribes of campaigns, in batches of up to 1,000 events. Your server confirms each by its ' +
    'hash.',
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
