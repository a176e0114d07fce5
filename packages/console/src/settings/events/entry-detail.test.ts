import { coded } from '@mailhook/core';
import type { LogEntry } from '@mailhook/core';
import { aShownDestination } from '@mailhook/testing';
import type { Frame } from '../family.ts';
import { pageOf } from '../navigation.ts';
import { entryDetail } from './entry-detail.ts';

const at = (minute: number): string => `2026-01-05T10:0${minute}:00.000Z`;

const view: Frame = {
  nowMs: Date.parse(at(9)),
  question: pageOf('events'),
  destinations: {
    value: [aShownDestination({ id: 'one', name: 'First' }), aShownDestination({ id: 'two', name: 'Second' })],
  },
  deadLetters: { value: { items: [], total: 0 } },
  statuses: { value: new Map() },
  isLogOn: true,
};

const attempt = (id: string, minute: number, more: Partial<LogEntry['attempts'][number]>) => ({
  id,
  time: at(minute),
  kind: 'transactional' as const,
  address: 'https://example.com/hook',
  events: 1,
  attempt: 1,
  status: 'failed' as const,
  durationMs: 12,
  ...more,
});

const entry: LogEntry = {
  entry: '1-c-0',
  id: 'e-1',
  acceptedAt: at(0),
  event: { module: 'transactional_email', event: 'open', email: 'anna@example.com' },
  destinations: [
    { id: 'one', outcome: 'delivered', attempts: 2, at: at(4), webhookId: 'msg_1' },
    { id: 'two', outcome: 'dead', attempts: 1, at: at(3) },
    { id: 'three', outcome: 'delivered', attempts: 1, at: at(6), webhookId: 'msg_3', replay: 'r1' },
    { id: 'two', outcome: 'waiting', attempts: 0 },
  ],
  attempts: [
    attempt('a-2', 4, { destination: 'one', attempt: 2, status: 'delivered', httpStatus: 200, webhookId: 'msg_1' }),
    attempt('a-1', 1, { destination: 'one', error: coded('no-reply'), webhookId: 'msg_1' }),
  ],
};

const shown = (one: LogEntry): string => entryDetail({ value: one }, view).toString();
const steps = (html: string): string[] =>
  [...html.matchAll(/<li class="(\w+)">(.*?)<\/li>/gs)].map(([, tone, text = '']) =>
    `${tone}: ${text.replaceAll(/<time.*?<\/time>|<[^>]*>/gs, '')}`.replaceAll(/\s+/g, ' ').trim(),
  );

describe('the life of an accepted event', () => {
  it('is one line of time over all endpoints: what an attempt shows is not said twice', () => {
    expect(steps(shown(entry))).toEqual([
      'plain: Accepted by Mailhook',
      expect.stringMatching(/^warn: Attempt 1: failed after 12 ms: .* First$/),
      expect.stringMatching(/^bad: Given up after 1 attempt Second$/),
      expect.stringMatching(/^good: Attempt 2: confirmed with HTTP 200 after 12 ms First$/),
      'good: Delivered in attempt 1, sent again by a replay Endpoint three (deleted)',
      expect.stringMatching(/^plain: Now Waits for its next attempt Second$/),
    ]);
    expect(shown(entry)).toContain('<a href="/settings/webhooks/deliveries?attempt=a-1">Attempt 1</a>');
  });

  it('says when an event that failed is tried again', () => {
    const last = (nextAttemptAt?: string): string | undefined => {
      const failed = attempt('a-3', 5, { destination: 'two', attempt: 3, nextAttemptAt });
      return steps(shown({ ...entry, attempts: [failed] })).at(-1);
    };
    expect(last(at(9))).toBe('warn: Attempt 4 is scheduled Second');
    expect(last(at(8))).toBe('warn: Now Attempt 4 is due Second');
    expect(last()).toBe('plain: Now Waits for its next attempt Second');
  });

  it('says that no endpoint took it, and offers the endpoints that take its type now', () => {
    const html = shown({ ...entry, destinations: [], attempts: [] });
    expect(steps(html)).toEqual(['plain: Accepted by Mailhook', 'plain: No endpoint took it']);
    expect([...html.matchAll(/<option value="(\w+)"/g)].map(([, id]) => id)).toEqual(['one', 'two']);
    const bounce = shown({ ...entry, event: { ...entry.event, event: 'bounce' } });
    expect(bounce).toContain('There is no endpoint for it that is switched on.');
  });
});
