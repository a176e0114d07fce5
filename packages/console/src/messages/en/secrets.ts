import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Around } from '../catalog.ts';

const plural = pluralIn('en');

/** Signing secrets. */
export const secrets = {
  lead:
    'With a secret, every request is signed, so that your server can tell that it came from Mailhook and was not ' +
    'changed. An endpoint may have its own secrets, among its settings.',
  ofAccount: 'Secrets of the account',
  ofAccountLead: 'They sign for every endpoint without its own secrets.',
  notSigned: 'Requests are not signed',
  notSignedHint: 'Create a secret, and verify the signature as shown below.',
  ownNote: ({ endpoints }: { endpoints: Content }) =>
    html`These endpoints have their own secrets, and the secrets below do not sign for them: ${endpoints}.`,
  ownLead: 'With its own secret, this endpoint’s server cannot forge requests to your other servers.',
  noOwn: 'No own secret',
  accountSignsIfAny: 'Requests to it are signed with the secrets of your account, if there are any.',
  accountSigns: 'Requests to it are signed with the secrets of your account.',
  nothingSigns: 'Requests to it are not signed, because your account has no secrets either.',
  lastOfAll: 'Your account has no secrets either, so requests are not signed any more.',
  lastOwn: 'Without an own secret, the secrets of your account sign.',
  create: 'Create secret',
  creating: 'Creating…',
  two: 'Two secrets at a time: while you replace one, both sign. Delete the old one once your server has the new one.',
  copyNow: 'Copy the secret now. It is not shown again.',
  copy: 'Copy',
  created: ({ time }: { time: Content }) => html`Created ${time}`,
  deleteOne: ({ hidden, id }: { hidden: Around; id: string }) => html`Delete${hidden(` secret ${id}`)}`,
  deletes: 'A server that has only this secret will refuse all later requests.',
  delete: 'Delete secret',
  deleting: 'Deleting…',
  unreadable: 'Not readable now',
  used: ({ time }: { time: Content }) => html`last used ${time}`,
  unused: 'not used by recent requests',
  ends: ({ time }: { time: Content }) => html`signs until ${time}`,
  roll: 'Replace…',
  rollText: 'A new secret signs beside this one until this one stops. Give your server the new one before that.',
  rollFor: 'This secret still signs for',
  hours: ({ hours }: { hours: number }) =>
    plural(hours, (number) => ({ one: `${number} hour`, other: `${number} hours` })),
  rollNow: 'Replace secret',
  rolling: 'Replacing…',
  endNow: ({ hidden, id }: { hidden: Around; id: string }) => html`End now${hidden(` secret ${id}`)}`,
  endsNow: 'A server that does not know the new secret yet will refuse all later requests.',
  takesBack: 'The former secret then has no end any more.',
  verify: 'Verify a request',
  verifyLead: ({ standard, guide }: { standard: Around; guide: Around }) =>
    html`The signature covers the headers webhook-id and webhook-timestamp and the body as it came, before any parsing
    (${standard('Standard Webhooks')}). The examples accept any of several secrets, so that you can replace one.
    ${guide('More about signatures')}`,
  exampleLanguage: 'Language of the example',
  copyExample: ({ hidden, name }: { hidden: Around; name: string }) => html`Copy${hidden(` the ${name} example`)}`,
  example: ({ name }: { name: string }) => `${name} example`,
  ofEndpoint: 'Signing secrets of this endpoint',
  pauseEndpoint: 'If this server verifies signatures already, pause the endpoint while you give it the new secret.',
};
