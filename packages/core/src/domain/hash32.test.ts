import { hash32 } from './hash32.ts';

test.each([
  ['', 0x811c9dc5],
  ['a', 0xe40c292c],
  ['foobar', 0xbf9cf968],
])('the published values of FNV-1a: %j', (text, expected) => {
  expect(hash32(text)).toBe(expected);
});
