import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';

/** Who gets e-mails about endpoints, and the page on which the owner of an address decides. */
export const alerts = {
  title: 'Alerts',
  lead:
    'A message comes when an endpoint fails, works again, or is switched off. ' +
    'At most one per day says that an endpoint fails.',
  noMails: 'Your provider has not set up e-mail for alerts, so only webhooks get them.',
  nobody: 'Nobody gets alerts',
  nobodyHint: 'Add the channel or the person that should hear when an endpoint fails.',
  full: ({ max }: { max: number }) => `${max} addresses and ${max} webhooks are the most there may be.`,
  active: 'Gets alerts',
  unconfirmed: 'Waiting for confirmation',
  remove: 'Remove',
  removing: 'Removing…',
  nothing: 'Gets nothing',
  unsent: 'Not sent',
  lastUnsent: ({ time, reason }: { time: Content; reason: Content }) =>
    html`The last alert could not be sent (${time}): ${reason}`,
  gets: 'Gets',
  allOfIt: 'everything, of all endpoints',
  someOfIt: ({ kinds, heard, all }: { kinds: Content; heard: Content; all: Content }) =>
    html`when an endpoint ${kinds} (endpoints: ${heard} of ${all})`,
  when: 'When an endpoint',
  failing: 'fails',
  recovered: 'works again',
  deactivated: 'is switched off by Mailhook',
  about: 'Of these endpoints',
  save: 'Save',
  saving: 'Saving…',
  chosen: 'Saved. The next alerts follow this choice.',
  test: 'Send a test',
  testSent: 'The test has arrived: the webhook took it.',
  testFailed: 'The webhook did not take the test.',
  webhookAdded: 'Added. The webhook gets alerts from now on. Send a test to see one.',
  addLead: 'An e-mail address, or an incoming webhook of Slack, Mattermost or another chat that takes {"text": "…"}.',
  addWebhookLead: 'An incoming webhook of Slack, Mattermost or another chat that takes {"text": "…"}.',
  webhook: 'Webhook of a chat',
  webhookHint: 'Such as https://hooks.slack.com/services/… Its path is a password: this page shows only its end.',
  email: 'E-mail address or webhook',
  emailHint: 'A webhook gets alerts immediately, an e-mail address after its owner has confirmed a first e-mail.',
  language: 'Language',
  add: 'Add a recipient',
  adding: 'Adding…',

  unknown:
    'This address gets no alerts. It was removed, or the link is not complete. If you want alerts, copy the whole ' +
    'link, or have the address added again.',
  away: 'This does not work at the moment. Try again in a minute.',
  getsAlerts: ({ address }: { address: Content }) =>
    html`${address} gets an e-mail when a webhook fails, works again, or is switched off.`,
  shouldGet: ({ address }: { address: Content }) =>
    html`Should ${address} get an e-mail when a webhook fails, works again, or is switched off?`,
  unsubscribe: 'Unsubscribe',
  yes: 'Yes, send alerts',
  no: 'No',
  confirmed: ({ address }: { address: Content }) =>
    html`Confirmed. ${address} gets alerts from now on. Every alert has a link to unsubscribe.`,
  removed: ({ address }: { address: Content }) => html`Removed. ${address} gets no alerts any more.`,
  never: 'Never ask this address again',
  shouldNever: ({ address }: { address: Content }) =>
    html`Should no account ask ${address} again whether it wants alerts?`,
  neverAgain: ({ address }: { address: Content }) => html`Done. Nobody can add ${address} for alerts any more.`,
  addressAdded: 'Added. The address gets an e-mail now, and alerts after its owner has confirmed them there.',
  addressRemoved: 'Removed. This recipient gets no alerts any more.',
};
