import { coded, NO_DELIVERIES } from '@mailhook/core';
import type { DestinationHealth } from '@mailhook/core';
import type { Markup } from '../../html/markup.ts';
import { NOBODY } from '../../html/reader.ts';
import { liveDocument } from '../document.ts';
import { endpointsTable } from '../endpoints/content.ts';
import { questionOf } from '../navigation.ts';
import { SINCE, viewOf } from '../view.suite.ts';
import { firstRunLive, isFirstRun, overviewLive } from './content.ts';

const read = {
  deliveries: { value: { items: [] } },
  signing: undefined,
  kept: {
    delivered: 1,
    attempts: 1,
    days: 7,
    waiting: 1,
    resends: 1,
    deadLetters: 1,
  },
};
const bars = [{ ...NO_DELIVERIES, fromMs: Date.parse(SINCE), events: 905, delivered: 904, failed: 1 }];
const accountWith = (states: readonly DestinationHealth[]) => ({
  ...viewOf(
    states.map((state, i) => ({ state, name: `Endpoint ${i}`, address: `https://example.com/${i}`, waiting: i })),
    bars,
  ),
  ...read,
});
const ATTEMPT = { kind: 'transactional', events: 1, attempt: 1, status: 'delivered', durationMs: 1 } as const;
const lines = (markup: Markup): string[] =>
  [...String(markup).matchAll(/<li class="(?:bad|warn|others)">(.*?)<\/li>/gs)].map(([, line = '']) =>
    line
      .replaceAll(/<.?bdi>/g, '')
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );

test('the first run has the buttons of the tests in its second step', () => {
  const view = { ...accountWith([]), chart: { value: [] } };
  expect(isFirstRun(view)).toBe(true);
  const [step = ''] = /<div id="step-test".*?<div id="step-event"/s.exec(String(firstRunLive(view))) ?? [];
  expect(step.match(/form="campaign-form"/g)).toHaveLength(3);
  const failed = {
    ...ATTEMPT,
    id: 't',
    kind: 'test',
    status: 'failed',
    time: SINCE,
    address: 'https://a.example',
  } as const;
  const tested = { ...view, deliveries: { value: { items: [failed, { ...failed, status: 'delivered' as const }] } } };
  expect(String(firstRunLive(tested))).toMatch(/id="step-test" data-part class="is-failed".*The last test failed/s);
  // Nothing says so of an hour alone.
  expect(isFirstRun({ ...view, question: questionOf('overview', '', { range: '1h' }) })).toBe(false);
});

describe('the overview of a bad day', () => {
  const states = ['healthy', 'paused', 'degraded', 'failing', 'parked', 'switched_off', 'parked'] as const;
  const view = accountWith(states);
  it('has a line per problem, the worst first, and at most four', () => {
    expect(lines(overviewLive(view))).toEqual([
      expect.stringMatching(
        /^Endpoint 5 https:\/\/example.com ?\/5 Mailhook switched this off. since .* 5 events wait$/,
      ),
      expect.stringMatching(/^Endpoint 4 .* The receiver answered HTTP 500 Internal Server Error. .* 4 events wait$/),
      expect.stringMatching(/^Endpoint 6 /),
      'and 3 more',
      '7 dead letters: fix the cause, then deliver them again.',
    ]);
    expect(lines(overviewLive(accountWith(['degraded', 'paused'])))).toEqual([
      expect.stringContaining('Your server confirms 50 % of events.'),
      expect.stringContaining('An operator of Mailhook has paused it.'),
      '7 dead letters: fix the cause, then deliver them again.',
    ]);
  });
  it('counts the same endpoints beside their entry of the navigation', () => {
    const page = liveDocument(view, '', NOBODY);
    expect(page).toContain('data-troubled="6">6<span class="unseen"> endpoints need attention</span>');
    expect(liveDocument(accountWith(['healthy']), '', NOBODY)).not.toContain('data-troubled');
  });
  it('names a repaired endpoint calmly, and does not count it', () => {
    const lastHour = { confirmed: 9, unconfirmed: 0, delivered: 9, failed: 1 };
    const given = [{ state: 'degraded', failures: 0, lastHour, address: 'https://example.com/0' }] as const;
    const repaired = { ...viewOf(given, bars), ...read };
    expect(String(overviewLive(repaired))).toMatch(/<li class="good">.*No event waits for another attempt/s);
    const page = liveDocument(repaired, '', NOBODY);
    expect(page).not.toContain('data-troubled');
  });
  it('names an endpoint with a web page in place of its server', () => {
    const error = coded('test-page', { status: 200, fault: coded('titled-web-page', { quote: '“Log in”' }) });
    const items = [{ ...ATTEMPT, id: 'a', time: SINCE, address: 'https://example.com/0', destination: 'd0', error }];
    const taken = { ...accountWith(['healthy']), deliveries: { value: { items } } };
    expect(lines(overviewLive(taken))[0]).toMatch(/^Endpoint 0 .* The reply is a web page: “Log in”/);
    expect(String(endpointsTable(taken))).toMatch(/badge warn.*A web page answers/s);
  });
  it('has one period for figures and charts, and does not round 904 of 905 to 99 %', () => {
    const week = String(overviewLive({ ...view, question: questionOf('overview', '', { range: '7d' }) }));
    expect(week.match(/Last 7 days/g)).toHaveLength(1);
    expect(week).toContain('<p class="figure">99.9 %</p>');
  });
});
