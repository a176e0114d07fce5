import { hash32 } from './hash32.ts';

test.each([
  ['', 0x811c9dc5],
  ['a', 0xe40c292c],
  ['foobar', 0xbf9cf968],
])('returns the published FNV-1a value: %j', (text, expected) => {
  expect(hash32(text)).toBe(expected);
});
