import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Around } from '../catalog.ts';

const plural = pluralIn('en');

/** The first page: figures, what needs attention, and the first run. */
export const overview = {
  lead: 'Where your email events go, and what became of them.',

  delivered: 'Attempts delivered',
  percent: ({ number }: { number: Content }) => html`${number} %`,
  eventsInAttempts: ({ events, attempts }: { events: number; attempts: number }) => [
    plural(events, (number) => ({ one: `${number} event`, other: `${number} events` })),
    plural(attempts, (number) => ({ one: ` in ${number} attempt`, other: ` in ${number} attempts` })),
  ],
  failed: 'Failed',
  noneFailed: 'No attempt failed',
  ofAttempts: ({ attempts }: { attempts: number }) =>
    plural(attempts, (number) => ({ one: `of ${number} attempt`, other: `of ${number} attempts` })),
  waiting: 'Waiting now',
  nothingWaits: 'Nothing waits',
  oldest: ({ time }: { time: Content }) => html`The oldest: ${time}`,
  keptFor: 'Kept for 7 days',

  allIsWell: 'Nothing needs your attention.',
  attention: 'Needs your attention',
  since: ({ time }: { time: Content }) => html`since ${time}`,
  wait: ({ events }: { events: number }) =>
    plural(events, (number) => ({ one: `${number} event waits`, other: `${number} events wait` })),
  others: ({ more }: { more: number }) =>
    plural(more, (number) => ({ one: `and ${number} more`, other: `and ${number} more` })),
  deadLetters: ({ letters }: { letters: number }) =>
    plural(letters, (number) => ({
      one: `${number} dead letter: fix the cause, then deliver it again.`,
      other: `${number} dead letters: fix the cause, then deliver them again.`,
    })),
  unrouted: ({ events }: { events: Content }) => [
    html`These events of the last 24 hours had no active endpoint and were not kept: ${events}.`,
    ' Types that need version 2 count only if an endpoint lists them.',
  ],
  campaignEvents: ({ events }: { events: number }) =>
    plural(events, (number) => ({ one: `${number} campaign event`, other: `${number} campaign events` })),
  eventsOfType: ({ events, type }: { events: number; type: string }) =>
    plural(events, (number) => ({ one: `${number} ${type} event`, other: `${number} ${type} events` })),

  firstEvent: 'Let us deliver your first event',
  threeSteps: 'Three steps. You can test an address before you save it.',
  address: 'Say where your server is',
  campaigns: 'Campaigns',
  messages: 'Transactional messages',
  ofMessages: 'Events of what your application sends, such as receipts: the types that you choose, one per request.',
  receiverCode: 'No server yet? Start with this one',
  noServer: ({ guide }: { guide: Around }) =>
    html`It takes batches and notifications on port 4000. The ${guide('guide')} goes on from here.`,
  done: '(done)',
  test: 'See that it answers',
  tested: 'Your server took a test.',
  testFailed: 'The last test failed. Its result says what to do.',
  notTested: 'A test sends samples only, to the address above. A failed one says what to do.',
  testOf: ({ name }: { name: Content }) => ['Test: ', name],
  event: 'Receive the first event',
  ready: 'Waiting for the first event. This page updates automatically.',
  notReady: 'Save an address first. Then this page shows the first event by itself.',
};
