import fc from 'fast-check';
import { compositeKey } from './composite-key.ts';

const parts = fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constantFrom('a', 'b', '", "', ',')));

test('different parts give different keys', () => {
  fc.assert(
    fc.property(parts, parts, (one, other) => {
      expect(compositeKey(...one) === compositeKey(...other)).toBe(JSON.stringify(one) === JSON.stringify(other));
      expect(JSON.parse(compositeKey(...one))).toEqual(one);
    }),
  );
});
