import { trendCharts } from './trends.ts';

const NOW_MS = Date.UTC(2026, 0, 5, 11, 0, 30);
const minute = (i: number, change = {}) => ({
  fromMs: Date.UTC(2026, 0, 5, 10, 57 + i),
  accepted: 0,
  delivered: 0,
  oldestMs: 0,
  usedBytes: undefined,
  ...change,
});
const chartsOf = (changes: readonly object[]): readonly string[] =>
  String(
    trendCharts(
      changes.map((change, i) => minute(i, change)),
      NOW_MS,
    ),
  )
    .split('<li ')
    .slice(1);

test('each chart has numbers at its axes, and says its values to screen readers', () => {
  const [accepted = '', delivered, oldest, memory] = chartsOf([
    { accepted: 600 },
    { accepted: 1800 },
    { accepted: 30, delivered: 600, oldestMs: 90_000, usedBytes: 3_400_000 },
    { accepted: 60 },
  ]);
  // 2,400 events in two minutes, and then 90 in 90 seconds.
  expect(accepted).toContain('aria-label="Accepted events per second since 10:57 UTC: 1 now, at most 20"');
  expect(accepted).toContain('<span class="most">20</span><span class="zero">0</span>');
  expect(accepted).toContain('<time datetime="2026-01-05T10:57:00.000Z">');
  expect(delivered).toContain('6.7 now');
  expect(oldest).toContain('1.5 min now');
  expect(memory).toContain('3.4 MB now');
});

test('without samples, nothing is known, and nothing is drawn', () => {
  const [accepted, , oldest = '', memory] = chartsOf([{}, {}, {}, {}]);
  expect(accepted).toContain('0 now, at most 0');
  expect([oldest.includes('nothing is known'), oldest.includes('class="line')]).toEqual([true, false]);
  expect(memory).toContain('nothing is known');
});

test('an idle minute with a sample has no oldest event', () => {
  const [, , oldest] = chartsOf([{ usedBytes: 1 }, { usedBytes: 1 }]);
  expect(oldest).toContain('<p class="figure">None</p>');
});
