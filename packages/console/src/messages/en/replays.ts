import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Around } from '../catalog.ts';

const plural = pluralIn('en');

/** Accepted events that are sent to an endpoint again. */
export const replays = {
  tab: 'Replay',
  title: 'Send accepted events again',
  lead: 'Choose a time span. The requests have the header webhook-replay, and new events go first.',
  off:
    'This installation keeps no log of accepted events, so none can be sent again. Your provider can ' +
    'switch the log on.',
  inactive: 'This endpoint is off, so nothing can be sent to it. Switch it on first.',
  filtered: 'Only events that the filter of this endpoint lets through are sent.',
  which: 'Which events',
  all: 'All of its types',
  undelivered: 'Only those that were given up or discarded',
  unmatched: 'Only those that it never got',
  count: 'Count first',
  noSpan: 'Choose a start and an end. The start must be before the end, and the log must reach back to the end.',
  counted: ({ events, from, to }: { events: number; from: Content; to: Content }) =>
    plural(events, (number) => ({
      one: html`${number} event from ${from} to ${to}.`,
      other: html`${number} events from ${from} to ${to}.`,
    })),
  countedMore: ({ events, from, to }: { events: number; from: Content; to: Content }) =>
    plural(events, (number) => ({
      one: html`More than ${number} event from ${from} to ${to}: counting took too long.`,
      other: html`More than ${number} events from ${from} to ${to}: counting took too long.`,
    })),
  start: 'Send them again',
  starting: 'Starting…',
  started: ({ link }: { link: Around }) =>
    html`Started. Mailhook sends the events while new ones keep their pace. ${link('See how far it is')}`,
  tooMany: 'Nothing was started: too many replays run already. Wait for the end of one, or stop one.',
  busy: 'A replay of this endpoint is in progress. Wait for its end, or stop it, before the next one.',
  nothingToSend: 'There is nothing to send.',

  list: 'Replays of this endpoint',
  none: 'None in the last 7 days.',
  running: 'In progress',
  waiting: 'Waiting',
  done: 'Done',
  stopped: 'Stopped',
  span: ({ from, to }: { from: Content; to: Content }) => html`Events from ${from} to ${to}`,
  chosen: 'Chosen events',
  startedAt: ({ time }: { time: Content }) => html`Started ${time}.`,
  progress: (all: { events: number; sent: Content; delivered: Content; dead: Content }) =>
    plural(all.events, (number) => ({
      one: html`One event found, ${all.sent} sent: ${all.delivered} delivered, ${all.dead} given up or discarded.`,
      other: html`${number} events found, ${all.sent} sent: ${all.delivered} delivered, ${all.dead} given up or
      discarded.`,
    })),
  missed: ({ events }: { events: number }) =>
    plural(events, (number) => ({
      one: `${number} event was no longer in the log.`,
      other: `${number} events were no longer in the log.`,
    })),
  share: 'Sent again',
  paused: 'It goes on when the pause of the endpoint ends.',
  full: 'Enough of its events wait at the endpoint. It goes on when they were sent.',
  store: 'The log cannot be read at the moment. It goes on by itself.',
  complete: 'It waits until all events of its time span have arrived in the log.',
  byPerson: 'Events that were sent stay sent.',
  endpointOff: 'The endpoint was switched off.',
  endpointDeleted: 'The endpoint was deleted.',
  stop: 'Stop',
  stopping: 'Stopping…',
  stoppedNow: 'Stopped. Events that wait at the endpoint are still sent.',

  offer: ({ events }: { events: number }) =>
    plural(events, (number) => ({ one: `Send ${number} past event too`, other: `Send ${number} past events too` })),
  offerMore: ({ events }: { events: number }) =>
    plural(events, (number) => ({
      one: `Send its past too: more than ${number} event`,
      other: `Send its past too: more than ${number} events`,
    })),
  past: 'The log has past events for it.',
};
