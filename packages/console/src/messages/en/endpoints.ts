import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Around } from '../catalog.ts';

const plural = pluralIn('en');

/** The list of endpoints, and the page of one. */
export const endpoints = {
  lead: 'Where your events go. The campaign webhook gets the events of campaigns in batches. A subscription gets one type of transactional event, one event per request.',
  campaign: 'Campaign webhook',
  subscription: ({ type }: { type: string }) => `Subscription to ${type}s`,

  events: 'Events',
  last24h: 'Last 24 hours',
  delivered: 'Delivered',
  waiting: 'Waiting',
  state: 'State',
  all: ({ number }: { number: Content }) => html`All ${number} endpoints`,

  addSubscription: 'Add a subscription',
  addLead: ({ max }: { max: Content }) =>
    html`Opens, clicks and bounces of transactional messages. Any 2xx answer confirms one. Up to ${max} of each event.`,
  add: 'Add subscription',
  adding: 'Adding…',
  tryFirst: 'Try it first',
  addAnyway: 'Add anyway',

  test: 'Test',
  moreActions: 'More actions',
  pause: 'Pause…',
  switchOffOrRemove: 'Switch off or remove…',
  remove: 'Remove…',
  copyAddress: 'Copy the address',
  latest: 'Latest deliveries',
  configuration: 'Configuration',
  signing: 'Signing',
  signedByOwn: 'With the secrets of this endpoint',
  signedByAccount: 'With the secrets of the account',
  notSigned: 'Not signed',
  none: 'None',
  pace: 'Pace',
  noLimit: 'No limit',
  atMost: ({ requests }: { requests: number }) =>
    plural(requests, (number) => ({
      one: `At most ${number} request per second`,
      other: `At most ${number} requests per second`,
    })),
  oldestWaiting: 'Oldest waiting event',

  testThis: 'Test this endpoint',
  testLead: ({ deliveries }: { deliveries: Around }) =>
    html`A test sends sample events only. You see the request and the reply here, and in ${deliveries('Deliveries')}.`,
  testType: 'Type of the test',
  testNotification: 'Send test notification',
  checkThis: 'Check this receiver',
};
