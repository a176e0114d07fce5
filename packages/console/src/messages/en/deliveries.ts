import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Around } from '../catalog.ts';

const plural = pluralIn('en');

/** The list of attempts and its filters. */
export const deliveries = {
  lead: 'Every request to your servers, newest first. An attempt failed if an event is sent again or was given up.',
  keeps: (kept: { readonly delivered: Content; readonly attempts: Content; readonly days: number }) =>
    plural(kept.days, (days) => {
      const text = (span: string): Content =>
        html`Mailhook keeps the newest ${kept.delivered} delivered attempts and ${kept.attempts} others for ${span},
        fewer if they are large. Of very many delivered at a time, it keeps a sample.`;
      return { one: text(`${days} day`), other: text(`${days} days`) };
    }),
  deliveredFor: ({ span }: { span: Content }) => html`At present, delivered attempts are kept for ${span}.`,

  deleted: ({ id }: { id: string }) => `Endpoint ${id} (deleted)`,
  endpoint: 'Endpoint',
  allEndpoints: 'All endpoints',
  outcome: 'Outcome',
  allOutcomes: 'All outcomes',
  event: 'Event',
  allEvents: 'All events',
  period: 'Period',
  anyTime: 'Any time',
  from: ({ zone }: { zone: Content }) => html`From (${zone})`,
  to: ({ zone }: { zone: Content }) => html`To (${zone})`,
  replyText: 'Text of the reply',
  allReplies: 'All replies',
  allAttempts: 'All attempts',
  firstAttempts: 'First attempts',
  laterAttempts: 'Repeated attempts',
  since: 'Since',
  until: 'Until',
  removeFilter: '(remove this filter)',
  found: ({ attempts, isAll }: { attempts: number; isAll: boolean }) =>
    plural(attempts, (number) => ({
      one: isAll ? `${number} attempt` : `at least ${number} attempt`,
      other: isAll ? `${number} attempts` : `at least ${number} attempts`,
    })),
  why: 'Why',
  show: 'Show',

  delivered: 'Delivered',
  failed: 'Failed',
  dead: 'Given up',
  not_delivered: 'Failed or given up',
  split: 'Split',

  noneYet: 'Nothing was delivered yet',
  noneYetHint: 'Test an endpoint: tests are listed too.',
  nothingSoFar: 'Nothing matches so far',
  nothingSoFarHint: 'Only a part of the attempts was searched. Press “Older” to search further.',
  nothing: 'Nothing matches',
  nothingHint: 'Choose other filters, or wait: new deliveries show up here by themselves.',
  all: 'All deliveries',
  newest: 'Newest',
  older: 'Older',

  list: 'Delivery attempts',
  time: 'Time',
  events: 'Events',
  attempt: 'Attempt',
  reply: 'Reply',
  open: ({ attempt, time }: { attempt: number; time: Content }) =>
    html`Request and reply of attempt ${attempt} at ${time}`,
  test: 'Test',
  next: ({ time }: { time: Content }) => html`Next attempt: ${time}`,
  deliveredBy: ({ link, attempt, time }: { link: Around; attempt: number; time: Content }) =>
    html`Delivered by ${link(`attempt ${attempt}`)}, ${time}`,
  splitIn: ({ attempt, requests }: { attempt: number; requests: number }) =>
    plural(requests, (number) => ({
      one: `Attempt ${attempt}, split in ${number} request`,
      other: `Attempt ${attempt}, split in ${number} requests`,
    })),
  splitInSmaller: ({ attempt }: { attempt: number }) => `Attempt ${attempt}, split in smaller requests`,
};
