import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';
import type { Around } from '../catalog.ts';

/** The access tokens of an account. */
export const tokens = {
  title: 'Access tokens',
  lead: 'For programs that use the API, and for signing in here. Give each program a token of its own.',
  none: 'No access token',
  noneHint: 'An administrator of the platform can create one.',
  reads: 'Reads only',
  manages: 'Changes everything',
  noLabel: 'Without a label',
  id: ({ id }: { id: string }) => html`ID <code>${id}</code>`,
  thisOne: 'You signed in with it',
  created: ({ time }: { time: Content }) => html`Created ${time}`,
  used: ({ time }: { time: Content }) => html`last used ${time}`,
  unused: 'never used',
  ends: ({ time }: { time: Content }) => html`ends ${time}`,
  ended: ({ time }: { time: Content }) => html`ended ${time}`,
  revokeOne: ({ hidden, label }: { hidden: Around; label: string }) => html`Revoke${hidden(` the token ${label}`)}`,
  revokes: 'Requests with this token are refused within seconds. It cannot be used again.',
  revokesThis: 'You signed in with this token, so you are signed out too.',
  revoke: 'Revoke token',
  revoking: 'Revoking…',
  revoked: 'Revoked. Requests with this token are refused within seconds.',
  newOne: 'Create an access token',
  label: 'Label',
  labelHint: 'The program that uses it. The list of changes shows it too.',
  access: 'It may',
  mayRead: 'read everything, and change nothing',
  mayManage: 'read and change everything, and send tests',
  end: 'It ends',
  endHint: 'If the token of your sign-in ends earlier, the new one ends with it.',
  never: 'never',
  inDays: ({ days }: { days: number }) => `in ${days} days`,
  create: 'Create token',
  creating: 'Creating…',
  createdOne: 'Created. Programs send it as Authorization: Bearer <token>.',
  copyNow: 'Copy the token now. It is not shown again.',
  full: ({ max }: { max: number }) => `An account with ${max} tokens cannot have more. Revoke one that is not used.`,
  notHere:
    'A link from another page opened these settings, and a token would outlive it. To create a token, sign in with ' +
    'one, or ask an administrator of the platform.',
};
