import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';

/** Who gets e-mails about endpoints, and the page on which the owner of an address decides. */
export const alerts = {
  title: 'E-mail alerts',
  lead: 'An e-mail comes when an endpoint fails, works again, or is switched off. At most one per day says that an endpoint fails.',
  noMails: 'This installation sends no e-mails, so it has no alerts.',
  nobody: 'Nobody gets alerts',
  nobodyHint: 'Add the address of who looks after your server.',
  full: ({ max }: { max: number }) => `${max} addresses are the most there may be.`,
  active: 'Gets alerts',
  unconfirmed: 'Waiting for confirmation',
  remove: 'Remove',
  removing: 'Removing…',
  email: 'E-mail address',
  emailHint: 'It gets an e-mail with a link, and alerts only after its owner has confirmed them there.',
  language: 'Language',
  add: 'Add address',
  adding: 'Adding…',

  unknown: 'This address gets no alerts. It was removed, or the link is not complete.',
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
  addressRemoved: 'Removed. This address gets no alerts any more.',
};
