import { bytesText, formatCount, percentText, plural, spanText } from './format.ts';

test('numbers have separators, and nouns their number', () => {
  expect(formatCount(1204)).toBe('1,204');
  expect(plural(1, 'event', 'events')).toBe('1 event');
  expect(plural(0, 'event', 'events')).toBe('0 events');
  expect(plural(1204, 'event', 'events')).toBe('1,204 events');
});

test('times and sizes have the unit that suits them', () => {
  expect([-5, 400, 90_000, 15_120_000, 172_800_000].map((ms) => spanText(ms))).toEqual([
    '0.0 s',
    '0.4 s',
    '1.5 min',
    '4.2 h',
    '2.0 d',
  ]);
  expect([250, 1_500_000, 1_234_000_000].map(bytesText)).toEqual(['0.3 kB', '1.5 MB', '1.2 GB']);
});

test('a share is rounded down, so that 99.9 % does not read as everything', () => {
  expect([0.999, 1].map(percentText)).toEqual(['99 %', '100 %']);
});
