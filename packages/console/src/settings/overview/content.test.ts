import { coded, NO_DELIVERIES } from '@mailhook/core';
import type { DestinationHealth, DestinationStatus, HistoryRange } from '@mailhook/core';
import { aShownDestination } from '@mailhook/testing';
import { NOBODY } from '../../html/reader.ts';
import { liveDocument } from '../document.ts';
import { questionOf } from '../navigation.ts';
import { overviewLive } from './content.ts';

const SINCE = '2026-01-05T10:00:00.000Z';

function statusOf(state: DestinationHealth, i: number): DestinationStatus {
  const settings = {
    ...aShownDestination({ id: `d${i}`, name: `Endpoint ${i}`, address: `https://example.com/${i}` }),
  };
  return {
    ...settings,
    destination: settings.id,
    kind: 'transactional',
    state,
    waiting: i,
    resends: 0,
    failures: 3,
    lastHour: { confirmed: 5, unconfirmed: 5, delivered: 0, failed: 0 },
    oldestWaitingAt: SINCE,
    lastError: coded('status', { status: '500 Internal Server Error' }),
  };
}

function viewOf(states: readonly DestinationHealth[], range: HistoryRange = '24h') {
  const found = states.map(statusOf);
  const bars = [{ ...NO_DELIVERIES, fromMs: Date.parse(SINCE), events: 905, delivered: 904, failed: 1 }];
  return {
    nowMs: Date.parse(SINCE) + 60_000,
    question: questionOf('overview', '', { range }),
    destinations: { value: found },
    statuses: { value: new Map(found.map((one) => [one.destination, one])) },
    deadLetters: { value: { items: [], total: 7 } },
    isLogOn: false,
    history: { value: new Map() },
    chart: { value: bars },
    unrouted: {},
    deadlineMs: 5000,
    deliveries: { value: { items: [] } },
    signing: undefined,
    kept: {
      attempts: 1,
      megabytes: 1,
      days: 7,
      perSecond: 1,
      perSecondOfAll: 1,
      waiting: 1,
      resends: 1,
      deadLetters: 1,
    },
  };
}
const lines = (markup: object): string[] =>
  [...String(markup).matchAll(/<li class="(?:bad|warn|others)">(.*?)<\/li>/gs)].map(([, line = '']) =>
    line
      .replaceAll(/<.?bdi>/g, '')
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );

describe('the overview of a bad day', () => {
  const states = ['healthy', 'paused', 'degraded', 'failing', 'parked', 'switched_off', 'parked'] as const;
  const view = viewOf(states);
  it('has a line per problem, the worst first, and at most four', () => {
    expect(lines(overviewLive(view))).toEqual([
      expect.stringMatching(/^Endpoint 5 https:\/\/example.com\/5 Mailhook switched this off. since .* 5 events wait$/),
      expect.stringMatching(/^Endpoint 4 .* The receiver answered HTTP 500 Internal Server Error. .* 4 events wait$/),
      expect.stringMatching(/^Endpoint 6 /),
      expect.stringMatching(/^Endpoint 3 /),
      'and 3 more',
    ]);
    expect(lines(overviewLive(viewOf(['degraded', 'paused'])))).toEqual([
      expect.stringContaining('Your server confirms 50 % of events.'),
      expect.stringContaining('An operator of Mailhook has paused it.'),
      '7 dead letters: fix the cause, then deliver them again.',
    ]);
  });
  it('counts endpoints that fail beside their entry of the navigation', () => {
    const page = liveDocument(view, '', NOBODY);
    expect(page).toContain('data-failing="4">4<span class="unseen"> endpoints fail</span>');
    expect(liveDocument(viewOf(['healthy', 'paused', 'degraded']), '', NOBODY)).not.toContain('data-failing');
  });
  it('has one period for figures and charts, and does not round 904 of 905 to 99 %', () => {
    const week = String(overviewLive(viewOf(states, '7d')));
    expect(week.match(/Last 7 days/g)).toHaveLength(1);
    expect(week).toContain('<p class="figure">99.8 %</p>');
  });
});
