/** The forms of the campaign webhook and of other endpoints. */
export const setup = {
  url: 'Webhook URL',
  saveAndSwitchOn: 'Save and switch on',
  saving: 'Saving…',
  testConnection: 'Test connection',
  testing: 'Testing…',
  sendBatch: 'Send sample batch',
  sending: 'Sending…',
  check: 'Check my receiver',
  checking: 'Checking, up to a minute…',

  address: 'Address',
  campaignLead:
    'Opens, clicks and unsubscribes of campaigns, in batches of up to 1,000 events. Your server confirms each by its ' +
    'hash.',
  switchOn: 'Switch on',
  switching: 'Switching…',
  saveAnyway: 'Save anyway',

  stop: 'Stop deliveries',
  pause: 'Pause…',
  switchOff: 'Switch off…',
  removeAddress: 'Remove address…',
  delete: 'Delete…',
  pauseKeeps: 'New events are kept, and sent when the pause ends.',
  offLoses: 'New events are not kept. Waiting ones become dead letters.',
  removeLoses: 'Without an address, campaign events are not kept. Waiting ones become dead letters.',
  deleteLoses: 'Deletes waiting events, settings and signing secrets. New events are not kept.',
  counting: 'Counting…',
};
