import fc from 'fast-check';
import { jsonFault, jsonFaultAt } from './json-fault.ts';

test.each([
  ['{"events":[{"acc', 'it ends in the middle of a text'],
  ['"a\\', 'it ends in the middle of a text'],
  ['["\\u00', 'it ends in the middle of a text'],
  ['{"events":[{"a":1}', 'it ends too early'],
  ['[', 'it ends too early'],
  ['', 'it ends too early'],
  ['[tru', 'it ends too early'],
  ['{"a":1,}', 'see position 7, where "}" cannot stand'],
  ['["\n"]', String.raw`see position 2, where "\n" cannot stand`],
  ['[\u{1f600}]', 'see position 1, where "\u{1f600}" cannot stand'],
])('jsonFault says what is wrong with %j in words', (text, fault) =>
  expect(jsonFault(text)).toBe(`is not valid JSON: ${fault}`),
);

describe('jsonFaultAt', () => {
  test.each([
    ['', 0],
    ['[1,]', 3],
    ['[1', 2],
    ['{"a":1,}', 7],
    ['{"a" 1}', 5],
    ['{a:1}', 1],
    ['[1 2]', 3],
    ['"a\nb"', 2],
    ['"a\\x"', 2],
    ['"a\\', 2],
    ['nul', 0],
    ['[01]', 2],
    ['{} {}', 3],
    ['[[[{"a":[]}]]]]', 14],
    ["{'a':1}", 1],
    [' \uFEFF{}', 1],
  ])('%j', (text, position) => expect(jsonFaultAt(text)).toBe(position));

  test('property: finds no fault in JSON, and a fault no later than JSON.parse does in other texts', () => {
    const changed = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '\\', '}', ']', '{', '[', ':', '1', '\n', 'x'))
      .map(([text, at, character]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + character + text.slice(place + 1);
      });
    fc.assert(
      fc.property(fc.oneof(fc.json(), changed), (text) => {
        const fault = jsonFaultAt(text);
        try {
          JSON.parse(text);
        } catch (error) {
          const parserAt = /position (\d+)/.exec(String(error))?.[1];
          expect(fault).toBeLessThanOrEqual(parserAt === undefined ? text.length : Number(parserAt));
          return;
        }
        expect(fault).toBe(text.length);
      }),
    );
  });

  test('takes long and deep texts', () => {
    expect(jsonFaultAt('['.repeat(1_000_000))).toBe(1_000_000);
    expect(jsonFaultAt(`["${'\\n'.repeat(1_000_000)}",]`)).toBe(2_000_004);
  });
});
