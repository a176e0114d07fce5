import fc from 'fast-check';
import { batchOutcome } from '@mailhook/core';
import { confirmationFault } from './acknowledgement-faults.ts';

const HASHES = ['sample-run-10', 'sample-run-11', 'sample-run-10', 'sample-run-12'];

const hash = fc.oneof(fc.constantFrom(...HASHES, 'of-another-batch'), fc.integer(), fc.constant(null));
const status = fc.oneof(fc.constantFrom<unknown>(true, true, false, 'true', 1, null), fc.string());
const item = fc.oneof(
  { weight: 4, arbitrary: fc.record({ hash, status }, { requiredKeys: [] }) },
  { weight: 1, arbitrary: fc.jsonValue() },
);
const right = fc.shuffledSubarray(HASHES.map((one) => ({ hash: one, status: true })));
const reply = fc.oneof(
  fc.tuple(fc.array(item), right).map(([some, others]) => JSON.stringify([...some, ...others])),
  fc.json(),
  fc.string(),
);

test('the doctor reports a fault exactly when a delivery would leave an event unacknowledged', () => {
  let confirmed = 0;
  fc.assert(
    fc.property(reply, (body) => {
      const exchange = { type: 'reply', status: 200, statusText: 'OK', retryAfter: undefined, body } as const;
      const { error } = batchOutcome(exchange, HASHES);
      expect(confirmationFault(body, HASHES) === undefined).toBe(error === undefined);
      if (error === undefined) confirmed += 1;
    }),
    { numRuns: 2000 },
  );
  // The generated replies include some that acknowledge every event.
  expect(confirmed).toBeGreaterThan(10);
});

test('a fault has a fix, and quotes no long text of the reply', () => {
  const secret = fc.string({ unit: fc.constantFrom('q', 'x', 'z', 'Q', 'X', 'Z'), minLength: 101, maxLength: 200 });
  const nested = fc.letrec((tie) => ({
    value: fc.oneof(
      secret,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(secret, tie('value'), { maxKeys: 3 }),
    ),
  })).value;
  fc.assert(
    fc.property(secret, nested, (word, value) => {
      for (const body of [
        JSON.stringify([value, { hash: word, status: word }, word]),
        JSON.stringify([{ hash: word, status: word }]),
        JSON.stringify([{ hash: HASHES[0], status: word }]),
        JSON.stringify({ [word]: value }),
        word,
        `<p>${word}`,
      ]) {
        const fault = confirmationFault(body, HASHES);
        expect(fault?.fix).not.toBe('');
        expect(JSON.stringify(fault)).not.toContain(word.slice(0, 30));
      }
    }),
  );
});
