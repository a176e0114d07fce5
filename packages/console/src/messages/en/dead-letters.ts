import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Around } from '../catalog.ts';

const plural = pluralIn('en');

/** The numbers of events that were delivered again. */
export interface Redriven {
  readonly total: number;
  readonly delivered: Content;
  readonly failed: Content;
  readonly waiting: Content;
}

/** Dead letters, and what can be done with them. */
export const deadLetters = {
  lead: 'Requests that Mailhook gave up, kept with their events for 7 days. Fix the cause, then deliver them again.',
  csv: 'Download as CSV',
  deliverAll: 'Deliver all again',
  counting: 'Counting…',
  cause: 'Cause',
  allCauses: 'All causes',
  chosenCause: 'The chosen cause',
  since: ({ zone }: { zone: Content }) => html`Given up since (${zone})`,

  groups: 'Dead letters by cause and endpoint',
  counted: ({ letters, events }: { letters: number; events: number }) => {
    const all = plural(letters, (number) => ({ one: `${number} dead letter`, other: `${number} dead letters` }));
    return plural(events, (number) => ({
      one: html`${all} with ${number} event`,
      other: html`${all} with ${number} events`,
    }));
  },
  select: 'Select',
  oldest: 'Oldest',
  selectGroup: ({ cause, endpoint }: { cause: Content; endpoint: Content }) => html`Select: ${cause} ${endpoint}`,
  groupOf: ({ hidden, cause, endpoint }: { hidden: Around; cause: Content; endpoint: Content }) =>
    html`${cause}${hidden(html` The dead letters of ${endpoint}`)}`,
  onlyNewest: 'Only the newest 5,000 dead letters are counted here. What you do with a group takes the older ones too.',
  ofDeleted: 'A deleted endpoint',
  lessThanAnHour: 'less than 1 hour left',
  hoursLeft: ({ hours }: { hours: number }) =>
    plural(hours, (number) => ({ one: `${number} hour left`, other: `${number} hours left` })),
  daysLeft: ({ days }: { days: number }) =>
    plural(days, (number) => ({ one: `${number} day left`, other: `${number} days left` })),
  deliverSelected: 'Deliver selected again',
  discardSelected: 'Discard selected',

  redrivenSince: ({ time }: { time: Content }) => html`Delivered again since ${time}:`,
  redriven: (all: Redriven) =>
    plural(all.total, (number) => ({
      one: html`${all.delivered} of ${number} event delivered, ${all.failed} failed again, ${all.waiting} on the way.`,
      other: html`${all.delivered} of ${number} events delivered, ${all.failed} failed again, ${all.waiting} on the way.`,
    })),
  neverSent: ({ events }: { events: number }) =>
    plural(events, (number) => ({
      one: `${number} event that was never sent waits for a first attempt, or had it.`,
      other: `${number} events that were never sent wait for a first attempt, or had it.`,
    })),
  notStarted: ({ events }: { events: number }) =>
    plural(events, (number) => ({
      one: `${number} event has not been started yet.`,
      other: `${number} events have not been started yet.`,
    })),
  wasStopped: ({ events }: { events: number }) =>
    plural(events, (number) => ({
      one: `Stopped: ${number} event stays among the dead letters.`,
      other: `Stopped: ${number} events stay among the dead letters.`,
    })),
  interrupted: ({ events }: { events: number }) =>
    plural(events, (number) => ({
      one:
        `Mailhook was interrupted before it started ${number} event. It is still among the dead letters: deliver ` +
        'it again.',
      other:
        `Mailhook was interrupted before it started ${number} events. They are still among the dead letters: deliver ` +
        'them again.',
    })),
  share: 'Delivered again',
  stop: 'Stop',
  stopping: 'Stopping…',

  oneByOne: 'One by one',
  andOlder: '“Deliver all again” and the CSV take the older ones too.',
  othersOrAll: ({ all }: { all: Around }) => html`Choose other filters, or ${all('see all dead letters')}.`,
  none: 'No dead letters now',
  noneHint: 'A request that Mailhook gives up stays here with its events for 7 days.',
  andMore: ({ more }: { more: Content }) => html`and ${more} more`,
  campaignEvents: ({ events, strong, endpoint }: { events: number; strong: Around; endpoint: Content }) =>
    plural(events, (number) => ({
      one: html`${strong(`${number} campaign event`)} to ${endpoint}`,
      other: html`${strong(`${number} campaign events`)} to ${endpoint}`,
    })),
  notifications: ({ events, strong, endpoint }: { events: number; strong: Around; endpoint: Content }) =>
    plural(events, (number) => ({
      one: html`${strong(`${number} notification`)} to ${endpoint}`,
      other: html`${strong(`${number} notifications`)} to ${endpoint}`,
    })),
  givenUpAfter: ({ time, attempts }: { time: Content; attempts: number }) =>
    plural(attempts, (number) => ({
      one: html`Given up ${time} after ${number} attempt.`,
      other: html`Given up ${time} after ${number} attempts.`,
    })),
  untried: ({ time }: { time: Content }) => html`Given up ${time} without an attempt.`,
  untriedOff: ({ time }: { time: Content }) =>
    html`Given up ${time} without an attempt, because the endpoint was switched off.`,
  open: ({ hidden, time }: { hidden: Around; time: Content }) =>
    html`Events and attempts${hidden(html` of the dead letter given up ${time}`)}`,
  deliverOne: ({ hidden, time, address }: { hidden: Around; time: Content; address: string }) =>
    html`Deliver again${hidden(html` (given up ${time}, to ${address})`)}`,

  one: 'Dead letter',
  unknown: 'There is no such dead letter: it was delivered again, or was given up over 7 days ago.',
  attempts: 'Attempts',
  noAttempts: 'None is kept in the log, or it was never sent.',
  events: ({ events }: { events: number }) =>
    plural(events, (number) => ({ one: `${number} event`, other: `${number} events` })),
  firstOnes: ({ shown }: { shown: Content }) => html`These are the first ${shown}. The CSV has all of them.`,

  noAddress: 'an endpoint that has no address now',
  nothingLeft: 'There is nothing left to choose: these dead letters were delivered again, discarded, or have expired.',
  notAllCounted: 'Only the newest 5,000 dead letters were counted. The older ones are taken too.',
  nothingSelected: 'Nothing was done. Select at least one row first.',
  askRedrive: 'Deliver these events again?',
  redriveDoes: ({ events, letters, endpoint }: { events: number; letters: number; endpoint: Content }) => {
    const among = plural(letters, (number) => ({ one: `${number} dead letter`, other: `${number} dead letters` }));
    return plural(events, (number) => ({
      one: html`${number} event in ${among} will be sent again to ${endpoint}.`,
      other: html`${number} events in ${among} will be sent again to ${endpoint}.`,
    }));
  },
  newAttempts: 'Each request counts as a new attempt. Events that fail again return to this list.',
  deliverAgain: 'Deliver again',
  sending: 'Sending…',
  askDiscard: 'Discard these events?',
  discardDoes: ({ events, endpoint }: { events: number; endpoint: Content }) =>
    plural(events, (number) => ({
      one: html`${number} event for ${endpoint} will be deleted permanently.`,
      other: html`${number} events for ${endpoint} will be deleted permanently.`,
    })),
  permanently: 'This cannot be undone. Download them as CSV first if you need them.',
  discard: 'Discard',
  deleting: 'Deleting…',
  goesOn: 'Mailhook delivers them again now. The page shows how many are done.',
  nothingToRedrive: 'There was nothing left to deliver again.',
  stayed: ({ letters }: { letters: number }) =>
    plural(letters, (number) => ({
      one: `${number} dead letter stays, because the endpoint is off or deleted. Switch it on first.`,
      other: `${number} dead letters stay, because the endpoint is off or deleted. Switch it on first.`,
    })),
  onTheWay: ({ letters }: { letters: number }) =>
    plural(letters, (number) => ({
      one: 'One dead letter is on the way again.',
      other: `${number} dead letters are on the way again.`,
    })),
  discarded: ({ events }: { events: number }) =>
    plural(events, (number) => ({
      one: `${number} event was deleted permanently.`,
      other: `${number} events were deleted permanently.`,
    })),
  nothingToStop: 'There was nothing left to stop: all of them were started.',
  stopped: ({ events }: { events: number }) =>
    plural(events, (number) => ({
      one: `Stopped. ${number} event stays among the dead letters. Events that were started go on.`,
      other: `Stopped. ${number} events stay among the dead letters. Events that were started go on.`,
    })),
};
