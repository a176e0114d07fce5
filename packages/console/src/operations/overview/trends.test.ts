import { trendCharts } from './trends.ts';

const minute = (i: number, change = {}) => ({
  fromMs: Date.UTC(2026, 0, 5, 10, 56 + i),
  accepted: 0,
  delivered: 0,
  oldestMs: 0,
  usedBytes: undefined,
  ...change,
});
/** What changes with every event, so that no chart shows it. */
const UNFINISHED = { accepted: 60, delivered: 50 };
const chartsOf = (changes: readonly object[]): readonly string[] =>
  String(trendCharts(changes.map((change, i) => minute(i, change))))
    .split('<li ')
    .slice(1);

test('each chart has numbers at its axes, and says its values to screen readers', () => {
  const [accepted = '', delivered, oldest, memory] = chartsOf([
    { accepted: 600 },
    { accepted: 1800 },
    { accepted: 30, delivered: 600, oldestMs: 90_000, usedBytes: 3_400_000 },
    UNFINISHED,
  ]);
  // 2,400 events in two minutes, and then 30 in one. The last minute has not ended.
  expect(accepted).toContain('aria-label="Accepted events per second since 10:56 UTC: 0.5 now, at most 20"');
  expect(accepted).toContain('<span class="most">20</span><span class="zero">0</span>');
  expect(accepted).toContain('<time datetime="2026-01-05T10:56:00.000Z">');
  expect(delivered).toContain('10 now');
  expect(oldest).toContain('1.5 min now');
  expect(memory).toContain('3.4 MB now');
});

test('without samples, nothing is known, and nothing is drawn', () => {
  const [accepted, , oldest = '', memory] = chartsOf([{}, {}, {}, UNFINISHED]);
  expect(accepted).toContain('0 now, at most 0');
  expect([oldest.includes('nothing is known'), oldest.includes('class="line')]).toEqual([true, false]);
  expect(memory).toContain('nothing is known');
});

test('an idle minute with a sample has no oldest event', () => {
  const [, , oldest] = chartsOf([{ usedBytes: 1 }, { usedBytes: 1 }, UNFINISHED]);
  expect(oldest).toContain('<p class="figure">None</p>');
});
