import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';

const plural = pluralIn('en');

/** The list of accepted events, and one of them. */
export const eventLog = {
  title: 'Events',
  lead: 'Every event that was accepted, newest first, and what happened to it at each endpoint.',
  off:
    'This installation keeps no log of accepted events, so only the events that Mailhook holds can be found. ' +
    'Your provider can switch the log on.',
  list: 'Accepted events',
  matching: 'Accepted events that match',
  allEvents: 'All events',
  campaign: 'Campaign',
  endpoints: 'Endpoints',
  nowhere: 'No endpoint',
  none: 'No events',
  noneHint: 'Choose other filters, or wait: an event appears here seconds after it was accepted.',
  noneSoFar: 'Only a part of the log was searched. Press “Older” to search further.',
  searchedUntil: ({ time }: { time: Content }) => html`Searched back to ${time}. Older events may match too.`,
  newestOnly: ({ shown }: { shown: Content }) => html`These are the newest ${shown}. The API has all of them.`,
  completeUntil: ({ time }: { time: Content }) => html`Events that were accepted after ${time} may still appear.`,
  waiting: 'Waiting',
  delivered: 'Delivered',
  dead: 'Given up',
  discarded: 'Discarded',

  gapOfStore: ({ from, to }: { from: Content; to: Content }) =>
    html`Events, or what became of them, are missing here, from ${from} to ${to}: the log was off, or could not be
    written in time. They were delivered as usual.`,
  gapOfStoreCounted: ({ from, to, events }: { from: Content; to: Content; events: number }) =>
    plural(events, (number) => ({
      one: html`${number} event is missing here, from ${from} to ${to}: the log could not be written in time. It was
      delivered as usual.`,
      other: html`${number} events are missing here, from ${from} to ${to}: the log could not be written in time. They
      were delivered as usual.`,
    })),
  gapOfRedis: ({ from, to }: { from: Content; to: Content }) =>
    html`Events may be missing here, from ${from} to ${to}: Mailhook’s database lost its last writes.`,

  one: 'Event',
  open: ({ time }: { time: Content }) => html`What happened to the event of ${time}:`,
  close: 'Close',
  unknown: 'The log has no such event. It may be older than what is kept, or was erased.',
  story: 'What happened to it',
  tookNoOne: 'No endpoint took it',
  isWaiting: 'Waits for its next attempt',
  wasDelivered: ({ attempts }: { attempts: number }) => `Delivered in attempt ${attempts}`,
  wasGivenUp: ({ attempts }: { attempts: number }) =>
    plural(attempts, (number) => ({
      one: `Given up after ${number} attempt`,
      other: `Given up after ${number} attempts`,
    })),
  wasDiscarded: 'Discarded: deleted before it was delivered',
  byReplay: 'sent again by a replay',
  body: 'Body, version 2',
  sendAgain: 'Send again',
  sendTo: 'Send again to',
  sending: 'Sending…',
  sendHint:
    'The request has the header webhook-replay. From version 2 of the body on, the event keeps its id and hash.',
  noTarget: 'There is no endpoint for it that is switched on.',
  sentAgain: 'Mailhook sends the event again now. Its attempts appear here.',
};
