import { findLines } from './find-lines.ts';

const found = (text: string, most = 10) => {
  const bytes = Buffer.from(text);
  const { lines, count } = findLines(bytes, most);
  return { lines: lines.map(({ line, start, end }) => [line, bytes.toString('utf8', start, end)]), count };
};

test.each<[string, [number, string][]]>([
  ['', []],
  ['{}', [[0, '{}']]],
  ['{}\n', [[0, '{}']]],
  [
    '\n a\r\n \t\v\f\r\n\nb\u00e9',
    [
      [1, ' a\r'],
      [4, 'b\u00e9'],
    ],
  ],
])('finds the lines of %j that are not blank', (text, lines) => {
  expect(found(text)).toEqual({ lines, count: lines.length });
});

test('counts the lines beyond the limit too', () => {
  expect(found('a\nb\n\nc\nd', 2)).toEqual({
    lines: [
      [0, 'a'],
      [1, 'b'],
    ],
    count: 4,
  });
});
