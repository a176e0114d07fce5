import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Around } from '../catalog.ts';

const plural = pluralIn('en');

/** States of endpoints: the words, and why they are so. */
export const states = {
  no_deliveries: 'No deliveries yet',
  healthy: 'Healthy',
  degraded: 'Degraded',
  recovered: 'Works again',
  webPage: 'A web page answers',
  noneWaits: 'No event waits for another attempt.',
  hadFailures: ({ failed, all }: { failed: Content; all: Content }) =>
    html`In the last hour, ${failed} of ${all} attempts failed.`,
  failing: 'Failing',
  parked: 'Parked',
  paused: 'Paused',
  off: 'Off',
  switched_off: 'Switched off by Mailhook',
  on: 'On',
  unknown: 'Unknown',
  notSetUp: 'Not set up',

  stopped: ({ failures }: { failures: number }) =>
    plural(failures, (number) => ({
      one: `Mailhook has stopped sending here after ${number} failed attempt in a row.`,
      other: `Mailhook has stopped sending here after ${number} failed attempts in a row.`,
    })),
  lastFailed: ({ failures }: { failures: number }) =>
    plural(failures, (number) => ({
      one: 'The last attempt failed.',
      other: `The last ${number} attempts failed.`,
    })),
  switchedOff: 'Mailhook switched this off.',
  pausedByCustomer: 'You have paused it.',
  pausedByOperator: 'An operator of Mailhook has paused it.',
  unconfirmed: (values: { percent: Content; confirmed: Content; unconfirmed: Content }) =>
    html`Your server confirms ${values.percent} % of events: in the last hour, it confirmed ${values.confirmed} and left
    out ${values.unconfirmed}.`,
  confirmsOnly: ({ percent }: { percent: Content }) => html`Your server confirms ${percent} % of events.`,
  confirmEach: 'Confirm every event that you stored, also those that you know already.',
  lastSucceeded: 'The last attempt was successful.',
  replied: ({ reply }: { reply: Content }) => html`Your server’s reply: ${reply}`,
  reason: ({ error }: { error: Content }) => html`The reason: ${error}.`,

  triesOne: ({ time }: { time: Content }) =>
    html`It tries one event at ${time}. Once your server takes one, new events follow; resends keep their schedule.`,
  nextAttempt: ({ time }: { time: Content }) => html`The next attempt is due at ${time}.`,
  nextAttemptOrEarlier: ({ time }: { time: Content }) => html`The next attempt is due at ${time} or earlier.`,
  customerPaused: 'You have paused deliveries.',
  customerPausedUntil: ({ time }: { time: Content }) => html`You have paused deliveries until ${time}.`,
  operatorPaused: 'An operator of Mailhook has paused deliveries.',
  operatorPausedUntil: ({ time }: { time: Content }) =>
    html`An operator of Mailhook has paused deliveries until ${time}.`,
  keptUntilThen: 'New events are kept and sent then.',
  offHint: 'Off: Mailhook does not keep new events for this address. Events that waited became dead letters.',
  noDeliveriesHint: 'Mailhook sent nothing here in the last 7 days. A test shows whether your server answers.',

  resendsWait: ({ requests }: { requests: number }) =>
    plural(requests, (number) => ({
      one: `${number} failed request waits for another attempt.`,
      other: `${number} failed requests wait for another attempt.`,
    })),
  resendsWaitUntil: ({ requests, time }: { requests: number; time: Content }) =>
    plural(requests, (number) => ({
      one: html`${number} failed request waits for another attempt, the next one at ${time}.`,
      other: html`${number} failed requests wait for another attempt, the next one at ${time}.`,
    })),
  resendsWaitUntilOrEarlier: ({ requests, time }: { requests: number; time: Content }) =>
    plural(requests, (number) => ({
      one: html`${number} failed request waits for another attempt, the next one at ${time} or earlier.`,
      other: html`${number} failed requests wait for another attempt, the next one at ${time} or earlier.`,
    })),
  waiting: ({ events }: { events: number }) =>
    plural(events, (number) => ({
      one: `${number} event is waiting and is not lost.`,
      other: `${number} events are waiting and are not lost.`,
    })),
  waitingSince: ({ events, time }: { events: number; time: Content }) =>
    plural(events, (number) => ({
      one: html`${number} event is waiting and is not lost, the oldest since ${time}.`,
      other: html`${number} events are waiting and are not lost, the oldest since ${time}.`,
    })),
  aboutWaiting: ({ events }: { events: number }) =>
    plural(events, (number) => ({
      one: `About ${number} event is waiting and is not lost.`,
      other: `About ${number} events are waiting and are not lost.`,
    })),
  aboutWaitingSince: ({ events, time }: { events: number; time: Content }) =>
    plural(events, (number) => ({
      one: html`About ${number} event is waiting and is not lost, the oldest since ${time} or earlier.`,
      other: html`About ${number} events are waiting and are not lost, the oldest since ${time} or earlier.`,
    })),
  deadLetters: ({ events, link }: { events: number; link: Around }) =>
    plural(events, (number) => ({
      one: html`${number} event is a dead letter: ${link('deliver it again')}.`,
      other: html`${number} events are dead letters: ${link('deliver them again')}.`,
    })),
  someDeadLetters: ({ link }: { link: Around }) => html`Some events are dead letters: ${link('deliver them again')}.`,

  resume: 'Resume',
  resuming: 'Resuming…',
  sendNow: 'Send everything now',
  starting: 'Starting…',
  deadLettersToo: 'Its dead letters too',

  notKept: 'New events are not kept.',
  enterAddress: 'Enter the new address',
  useAddress: 'Use the new address',
  reading: 'Reading…',
  whatToDo: 'What to do',
  showRequest: 'Show the request',
  switchedOffAt: ({ time }: { time: Content }) => html`That was at ${time}.`,
};
