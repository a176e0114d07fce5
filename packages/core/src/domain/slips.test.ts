import { slips } from './slips.ts';

it.each([
  ['email', 'email', 0],
  ['emial', 'email', 1],
  ['mail', 'email', 1],
  ['timstmap', 'timestamp', 2],
  ['url', 'reason', Number.POSITIVE_INFINITY],
])('counts the slips from %s to %s', (written, meant, count) => {
  expect(slips(written, meant)).toBe(count);
});
