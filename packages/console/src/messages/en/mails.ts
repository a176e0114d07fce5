/** E-mails about endpoints. They are plain text, too. */
export const mails = {
  failingSubject: ({ name }: { name: string }) => `Your webhook fails: ${name}`,
  failing:
    'Requests to your webhook keep failing. Mailhook keeps the events and tries again, but gives up those too old.',
  recoveredSubject: ({ name }: { name: string }) => `Your webhook works again: ${name}`,
  recovered: 'Your webhook takes requests again. Mailhook is sending the waiting events. There is nothing to do.',
  deactivatedSubject: ({ name }: { name: string }) => `Your webhook was switched off: ${name}`,
  deactivated:
    'Your server gave an answer that ends deliveries permanently, so Mailhook switched the webhook off. New ' +
    'events are not kept. Correct the address, or switch the webhook on again.',
  limitSubject: ({ brand }: { brand: string }) => `No more alerts of ${brand} today`,
  limit: ({ max, until }: { max: number; until: string }) =>
    `This address got ${max} alerts within a day. Further ones are not sent until ${until}. The webhook settings ` +
    'show which webhooks fail or are off.',
  account: 'Account',
  webhook: 'Webhook',
  events: 'Events',
  address: 'Address',
  since: 'Since',
  reason: 'Reason',
  advice: 'What to do',
  waiting: 'Waiting events',
  open: 'Open the webhook settings',
  why: ({ account }: { account: string }) =>
    `You get this e-mail because you confirmed that you want alerts about the webhooks of ${account}.`,
  unsubscribe: 'Unsubscribe',
  confirmSubject: ({ brand }: { brand: string }) => `Confirm e-mail alerts of ${brand}`,
  confirm: ({ account }: { account: string }) =>
    `Somebody who manages the webhooks of ${account} wants to send alerts to this address. An alert comes when a ` +
    'webhook fails, works again, or is switched off.',
  confirmButton: 'Confirm or decline',
  neverAgain: 'Never ask this address again',
  confirmIgnore: 'If you do not know this account, ignore this e-mail. Without your confirmation, no alerts are sent.',
  sampleSubject: ({ brand }: { brand: string }) => `Test of the alerts of ${brand}`,
  sample: ({ account }: { account: string }) =>
    `This is a test. Alerts about the webhooks of ${account} arrive here: when one fails, works again, ` +
    'or is switched off.',
};
