import fc from 'fast-check';
import { measureJson } from './json-shape.ts';

/** The number of values in a parsed value. */
function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, one) => sum + countValues(one), 1);
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe('measureJson', () => {
  it.each([
    ['[]', { elements: 1, values: 1, depth: 1 }],
    ['[{},{},{}]', { elements: 3, values: 6, depth: 2 }],
    [' \r\n\t[1,[2,3]]', { elements: 2, values: 4, depth: 2 }],
    ['{"a":[1,2],"b":{}}', { elements: 0, values: 5, depth: 2 }],
    [String.raw`["a,[{\"","\\",",\\\\"]`, { elements: 3, values: 3, depth: 1 }],
    ['"[[[["', { elements: 0, values: 0, depth: 0 }],
    ['7', { elements: 0, values: 0, depth: 0 }],
    ['', { elements: 0, values: 0, depth: 0 }],
  ])('counts %s', (text, shape) => {
    expect(measureJson(text, 10)).toEqual(shape);
  });

  it('property: agrees with the parsed value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const { elements, values, depth } = measureJson(JSON.stringify(value), 100);
        expect(depth).toBe(depthOf(value));
        if (Array.isArray(value) && value.length > 0) expect(elements).toBe(value.length);
        // The first value of each array and object has no comma before it.
        expect(values).toBeLessThanOrEqual(2 * countValues(value));
        expect(countValues(value)).toBeLessThanOrEqual(2 * values + 1);
      }),
    );
  });

  it('stops one level below the maximum depth', () => {
    expect(measureJson('['.repeat(1_000_000), 50).depth).toBe(51);
  });

  it.each(['"', '"\\', '"\\"', '[', ']]]]', '{"a":', '"a" "'])('terminates for %j, which is not JSON', (text) => {
    expect(measureJson(text, 10)).toEqual(expect.objectContaining({ elements: expect.any(Number) as number }));
  });
});
