import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';

const plural = pluralIn('en');

const attempts = (value: number): string =>
  plural(value, (number) => ({ one: `${number} attempt delivered`, other: `${number} attempts delivered` }));

/** Attempts and reply times as pictures. */
export const charts = {
  '1h': '1 h',
  '24h': '24 h',
  '7d': '7 d',
  last1h: 'Last hour',
  today: 'Today',
  last24h: 'Last 24 hours',
  last7d: 'Last 7 days',
  fromTo: 'From … to',
  timeSpan: 'Time span',
  nothingSent: 'Nothing was sent in this time.',
  notKept: 'Figures are kept for 7 days.',
  noTimes: 'Write times as 2026-01-31 16:30, the earlier one first.',
  total: ({ delivered, waiting }: { delivered: number; waiting: number }) => [
    plural(delivered, (number) => ({ one: `${number} event delivered`, other: `${number} events delivered` })),
    ', ',
    plural(waiting, (number) => ({ one: `${number} event waiting now`, other: `${number} events waiting now` })),
  ],
  attempts: 'Attempts',
  delivered: ({ delivered }: { delivered: number }) => attempts(delivered),
  failed: ({ failed }: { failed: Content }) => html`${failed} failed`,
  replyTime: 'Reply time',
  half: ({ time }: { time: Content }) => html`half within ${time}`,
  most: ({ time }: { time: Content }) => html`95 % within ${time}`,
  deadline: ({ time }: { time: Content }) => html`deadline ${time}`,
  timedOut: ({ timeouts, all }: { timeouts: Content; all: Content }) => html`no reply in ${timeouts} of ${all}`,
  soFar: '(so far)',
  byMinutes: 'In steps of 5 minutes',
  byHour: 'By hour',
  bySixHours: 'In steps of 6 hours',
  from: 'From',
  halfWithin: 'Half within',
  mostWithin: '95 % within',
};
