import { isUrl } from './is-url.ts';

test('a URL with letters outside of ASCII stays one, however often it is read', () => {
  const answers = new Set(Array.from({ length: 20_000 }, () => isUrl('https://b\u00fccher.example/\u00fc')));
  expect(answers).toEqual(new Set([true]));
  expect([isUrl('/a', 'https://example.com'), isUrl('/a'), isUrl('https://a b')]).toEqual([true, false, false]);
});
