import { coded } from '@mailhook/core';
import type { DeliveryAttempt, EventTrace } from '@mailhook/core';
import { html } from '../../html/markup.ts';
import { eventStepsOf } from './event-steps.ts';

const attempt = (more: Partial<DeliveryAttempt>): DeliveryAttempt => ({
  id: `a${more.attempt ?? 1}`,
  time: '2026-01-05T10:00:00.000Z',
  kind: 'campaign',
  address: 'https://example.com/',
  events: 1,
  attempt: 1,
  status: 'failed',
  durationMs: 12.4,
  ...more,
});
const trace = (more: Partial<EventTrace>): EventTrace => ({
  destination: 'campaign',
  state: 'waiting',
  attempts: 0,
  ...more,
});
const tell = (items: EventTrace[], attempts: DeliveryAttempt[]) =>
  eventStepsOf({ items, attempts, searched: '', isComplete: true }).map(({ destination, steps }) => [
    destination,
    ...steps.map(({ text }) => String(html`${text}`).replaceAll(/<[^>]*>/g, '')),
  ]);

describe('the steps of an event', () => {
  it('begins with the acceptance, lists the attempts oldest first, and ends with the next step', () => {
    const resend = trace({
      state: 'resend',
      attempts: 2,
      acceptedAt: '2026-01-05T09:59:00.000Z',
      nextAttemptAt: '2026-01-05T11:00:00.000Z',
    });
    const newestFirst = [
      attempt({ attempt: 2, httpStatus: 500, error: coded('status', { status: '500' }) }),
      attempt({ attempt: 1, events: 40, error: coded('no-reply'), durationMs: 5000 }),
    ];
    expect(tell([resend], newestFirst)).toEqual([
      [
        'campaign',
        'Accepted by Mailhook',
        'Attempt 1 in a batch of 40 events: failed after 5000 ms: the receiver did not answer in time',
        'Attempt 2: failed after 12 ms: the receiver answered HTTP 500',
        'Attempt 3 is scheduled',
      ],
    ]);
  });

  it('reports a delivery only once', () => {
    const delivered = trace({ state: 'delivered', attempts: 1, deliveredAt: '2026-01-05T10:00:00.000Z' });
    expect(tell([delivered], [attempt({ status: 'delivered', httpStatus: 200 })])).toEqual([
      ['campaign', 'Attempt 1: confirmed with HTTP 200 after 12 ms'],
    ]);
    expect(tell([delivered], [])).toEqual([['campaign', 'Delivered']]);
  });

  it('is separate for each destination', () => {
    const items = [
      trace({ destination: 'one', state: 'waiting' }),
      trace({ destination: 'two', state: 'in_flight', attempts: 3 }),
      trace({ destination: 'three', state: 'dead', attempts: 1, error: coded('status', { status: '400' }) }),
    ];
    expect(tell(items, [])).toEqual([
      ['one', 'Waits for its first attempt'],
      ['two', 'Attempt 3 is in progress'],
      ['three', 'Given up after one attempt: the receiver answered HTTP 400. It is among the dead letters'],
    ]);
  });

  it('is empty for an unknown event', () => {
    expect(tell([], [])).toEqual([]);
  });
});
