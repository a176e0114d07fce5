import { formatValue } from './units.ts';

test.each([
  [0, 's', '0 s'],
  [0.00025, 's', '250 \u00b5s'],
  [0.0123, 's', '12.3 ms'],
  [4.5, 's', '4.5 s'],
  [90, 's', '1.5 min'],
  [7200, 's', '2 hours'],
  [172_800, 's', '2 days'],
  [999, 'short', '999'],
  [1234, 'short', '1.23 K'],
  [2_000_000, 'short', '2 Mil'],
  [268_435_456, 'bytes', '256 MiB'],
  [0.5, 'percentunit', '50%'],
  [12.34, 'eps', '12.3 evt/s'],
  [1500, 'reqps', '1.5K req/s'],
])('%d in %s is written as %s', (value, unit, text) => {
  expect(formatValue(value, unit)).toBe(text);
});

test('an unknown unit is named in the error', () => {
  expect(() => formatValue(1, 'furlongs')).toThrow(/furlongs/);
});
