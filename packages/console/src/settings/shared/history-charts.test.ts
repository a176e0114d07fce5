import { NO_DELIVERIES, rangeSpan, replyBucketOf } from '@mailhook/core';
import type { HistoryBar, HistoryRange } from '@mailhook/core';
import { html } from '../../html/markup.ts';
import { periodHeader } from './period.ts';
import { historyCharts } from './history-charts.ts';
import { questionOf } from '../navigation.ts';

const FROM_MS = Date.UTC(2026, 0, 5, 9);
const HOUR_MS = 3_600_000;

const bar = (hour: number, counts: Partial<HistoryBar>): HistoryBar => ({
  ...NO_DELIVERIES,
  fromMs: FROM_MS + hour * HOUR_MS,
  ...counts,
});
const replies = (ms: number, attempts: number): number[] => {
  const found = Array<number>(replyBucketOf(ms)).fill(0);
  return [...found, attempts];
};

const NOW_MS = FROM_MS + 23.5 * HOUR_MS;

function chartsOf(bars: readonly HistoryBar[], range: HistoryRange = '24h', endpoint = '', nowMs = NOW_MS): string {
  const question = questionOf(endpoint === '' ? 'overview' : 'endpoints', endpoint, { range });
  const span = rangeSpan(range, NOW_MS);
  const view = { chart: { value: bars }, question, span, nowMs, deadlineMs: 5000 };
  return String(html`${periodHeader(view)}${historyCharts('all', view, 3)}`);
}
const textsOf = (html: string, list: string): string[] => {
  const [, content = ''] = new RegExp(`<ol class="${list}".*?>(.*?)</ol>`, 's').exec(html) ?? [];
  return [...content.matchAll(/<li[^>]*>(.*?)<\/li>/gs)].map(([, text = '']) => text.replaceAll(/<[^>]+>/g, ''));
};
/** Of the bars that have one. */
const labelsOf = (html: string): string[] => textsOf(html, 'times').filter((text) => text !== '');

const busy = [
  bar(0, { events: 9, delivered: 7, failed: 1, replies: replies(40, 8) }),
  ...Array.from({ length: 22 }, (_, i) => bar(i + 1, {})),
  bar(23, { delivered: 1, failed: 2 }),
];

describe('the charts of an account', () => {
  const html = chartsOf(busy);
  it('have axes with numbers and times', () => {
    expect(textsOf(html, 'scale')).toEqual(['8', '6', '4', '2', '0']);
    expect(labelsOf(html)).toEqual(['09:00', '15:00', '21:00', '03:00']);
    const second = html.slice(html.indexOf('Reply time'));
    expect(textsOf(second, 'scale')).toEqual(['10 s', '1 s', '100 ms', '10 ms', '1 ms']);
  });
  it('stack failed attempts on delivered ones, and say the values of each bar', () => {
    expect(html).toContain('<rect class="good" x="0" y="12.5" width="7" height="87.5"/>');
    expect(html).toContain('<rect class="bad" x="0" y="0.0" width="7" height="12.5"/>');
    const columns = textsOf(html, 'columns');
    expect(columns).toHaveLength(24);
    expect(columns[0]).toBe('5 Jan, 09:00:00 UTC Delivered 7 Failed 1');
    expect(columns[1]).toBe('');
    // The last hour is not over.
    expect(columns[23]).toBe('6 Jan, 08:00:00 UTC (so far) Delivered 1 Failed 2');
    expect(html.match(/<li class="late unfinished">/g)).toHaveLength(2);
  });
  it('of a time that is over have no unfinished bar', () => {
    expect(chartsOf(busy, '24h', '', NOW_MS + HOUR_MS)).not.toMatch(/unfinished|so far/);
  });
  it('have lines at easy distances, and a pixel for one among many', () => {
    const scaleOf = (delivered: number) => textsOf(chartsOf([bar(0, { delivered }), bar(1, { failed: 1 })]), 'scale');
    expect(scaleOf(1172)).toEqual(['1,200', '900', '600', '300', '0']);
    expect(scaleOf(3)).toEqual(['3', '2', '1', '0']);
    expect(scaleOf(1)).toEqual(['1', '0']);
    expect(scaleOf(41)).toEqual(['45', '30', '15', '0']);
    expect(chartsOf([bar(0, { delivered: 1172 }), bar(1, { failed: 1 })])).toContain('y="99.3" width="7" height="0.7"');
  });
  it('say the values of both once more in a table, and read them out once', () => {
    const [table = ''] = /<table.*<\/table>/s.exec(html) ?? [];
    const rows = [...table.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
      row
        .replaceAll(/<[^>]+>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    );
    expect(rows).toEqual([
      'From Delivered Failed Half within 95 % within No reply',
      '5 Jan, 09:00:00 UTC 7 1 40 ms 49 ms 0',
      '6 Jan, 08:00:00 UTC 1 2 – – 0',
    ]);
    expect(html).toContain('<summary>By hour</summary>');
    expect(html.match(/<ol class="columns" +aria-hidden="true">/g)).toHaveLength(2);
  });
  it('show attempts that reached the deadline as marks there, and not as replies', () => {
    const silent = { failed: 20, replies: replies(5000, 20), timeouts: 20 };
    const alone = chartsOf([bar(0, silent), bar(1, {})]);
    expect(alone).toContain('no reply in 20 of 20');
    expect(alone).not.toContain('half within');
    expect(alone).toContain('<rect class="bad" x="0" y="4.5" width="7" height="6.0"/>');
    const both = silent.replies.map((attempts, i) => (i === replyBucketOf(40) ? 20 : attempts));
    const some = chartsOf([bar(0, { ...silent, delivered: 25, replies: both })]);
    expect(some).toContain('95 % within 49 ms');
    expect(some).toContain('no reply in 20 of 45');
  });
  it('show reply times where there are some, and the deadline', () => {
    expect(html).toContain('<path class="line limit" d="M0 7.5H240" />');
    expect(html).toContain('<path class="line p50" d="M0 59.9H7" />');
    expect(html).toContain('deadline 5 s');
  });
  it('lead to the deliveries of a bar, and to other ranges', () => {
    expect(html).toContain('/deliveries?from=2026-01-05T09%3A00%3A00.000Z&amp;to=2026-01-05T10%3A00%3A00.000Z"');
    expect(html).toContain('href="/settings/webhooks?range=7d"');
    const days = chartsOf(busy, '7d', 'campaign');
    expect(days).toContain(
      '/endpoints/campaign?tab=deliveries&amp;from=2026-01-05T09%3A00%3A00.000Z&amp;to=2026-01-05T15%3A00%3A00.000Z"',
    );
    expect(labelsOf(days)[1]).toBe('5 Jan');
  });
});

it('without attempts, the page says so', () => {
  const html = chartsOf([bar(0, {}), bar(1, {})]);
  expect(html).toContain('Nothing was sent in this time.');
  expect(html).not.toContain('<svg');
});
