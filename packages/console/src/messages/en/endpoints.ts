import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Around } from '../catalog.ts';

const plural = pluralIn('en');

/** The list of endpoints, and the page of one. */
export const endpoints = {
  lead:
    'Where your events go. The campaign webhook gets the events of campaigns in batches. Every other endpoint ' +
    'gets what you choose.',
  campaign: 'Campaign webhook',

  events: 'Events',
  delivered: 'Delivered',
  waiting: 'Waiting',
  find: 'Filter by name, address or event',
  state: 'State',
  all: ({ number }: { number: Content }) => html`All ${number} endpoints`,

  add: 'Add endpoint',
  create: 'Create this endpoint',
  creating: 'Creating…',
  tryFirst: 'Try it first',
  createAnyway: 'Create anyway',

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

  testThis: 'Test this endpoint',
  testLead: ({ deliveries }: { deliveries: Around }) =>
    html`A test sends sample events only. You see the request and the reply here, and in ${deliveries('Deliveries')}.`,
  lastTests: 'Last tests',
  noTests: 'No tests yet',
  testType: 'Type of the test',
  editSample: 'Edit the sample',
  sampleHint: 'Fields of the event as a producer sends it. Its id, its type and its account stay those of a test.',
  showSample: 'Show the sample of this type',

  everything: 'all types',
  andMore: ({ types, more }: { types: string; more: Content }) => [types, ' and ', more, ' more'],
  ofMessages: ({ types }: { types: Content }) => ['Endpoint for ', types],
  ofCampaigns: ({ types }: { types: Content }) => ['Campaign endpoint for ', types],

  addEndpoint: 'Add an endpoint',
  addLead: ({ max }: { max: Content }) =>
    html`An address, and the types of events that it gets. Everything else has a usual value. Up to ${max} per type.`,
  more: 'Further choices: body, requests, filter',
  wouldGet: 'What your server will get',
  bodyNeedsVersion2:
    'A type or a choice of yours needs version 2 of the body. All types get it, with the recipient’s address.',
  bodyWithoutRecipient:
    'The body is version 1, without the recipient’s address. Version 2, under “Further choices”, has it.',
  asOfPreview: 'As of the last “Show what it gets”.',
  chooseFirst: 'Choose types of events, and a sample of their requests is here.',
  unclear: 'Some choices do not go together.',
  preview: 'Show what it gets',
  tryType: 'Event of “Try it first”',
  firstType: 'The first of its types',

  scope: 'Scope',
  body: 'Body',
  version: ({ version }: { version: Content }) => html`Version ${version}`,
  requests: 'Requests',
  filtered: 'Kept out by its filter in the last hour',
  inFlight: 'Most requests at the same time',
  testEvent: 'Send test event',
};
