import { formatCount, plural } from './format.ts';

test('numbers have separators, and nouns their number', () => {
  expect(formatCount(1204)).toBe('1,204');
  expect(plural(1, 'event', 'events')).toBe('1 event');
  expect(plural(0, 'event', 'events')).toBe('0 events');
  expect(plural(1204, 'event', 'events')).toBe('1,204 events');
});
