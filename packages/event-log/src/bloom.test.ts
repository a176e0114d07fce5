import fc from 'fast-check';
import { distinct } from './bloom.ts';

test('each key once, in their order', () => {
  const anyKey = fc.record({ high: fc.nat(3), low: fc.nat(20).map((low) => low * 4) });
  fc.assert(
    fc.property(fc.array(anyKey, { maxLength: 80 }), (keys) => {
      const seen = new Map(keys.toReversed().map((key) => [`${key.high} ${key.low}`, key]));
      const found = distinct(keys);
      expect(found).toHaveLength(seen.size);
      expect(new Set(found)).toEqual(new Set(seen.values()));
    }),
  );
});
