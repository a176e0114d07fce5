import fc from 'fast-check';
import { anyHash } from './arbitrary-events.suite.ts';
import { acknowledgedHashes, unacknowledged } from './acknowledgement.ts';

/** The items as a receiver sends them. */
const parsed = (items: unknown) => JSON.parse(JSON.stringify(items)) as unknown[];
const open = (hashes: readonly string[], reply: unknown) => unacknowledged(hashes, acknowledgedHashes(parsed(reply)));

describe('confirmedHashes', () => {
  it.each([
    ['an item', [{ hash: 'a', status: true }], ['a']],
    ['other keys beside', [{ status: true, note: 'x', hash: 'a' }], ['a']],
    ['an empty array', [], []],
    ['false', [{ hash: 'a', status: false }], []],
    [
      'true beside false',
      [
        { hash: 'a', status: true },
        { hash: 'a', status: false },
      ],
      ['a'],
    ],
    ['truthy values that are not true', [1, 'true', 'ok', {}, []].map((status) => ({ hash: 'a', status })), []],
    ['no status', [{ hash: 'a' }], []],
    ['no hash', [{ status: true }], []],
    ['a hash that is no string', [{ hash: 5, status: true }], []],
    ['items of another shape, one by one', [null, 5, 'a', ['a', true], { hash: 'b', status: true }, undefined], ['b']],
  ])('reads %s', (_what, reply, hashes) => {
    expect([...acknowledgedHashes(parsed(reply))]).toEqual(hashes);
  });

  it('property: never throws', () => {
    fc.assert(fc.property(fc.array(fc.jsonValue()), (items) => void acknowledgedHashes(items)));
  });
});

describe('unconfirmed', () => {
  it('lets one item confirm every event with its hash, and keeps the order of the others', () => {
    expect(open(['a', 'b', 'a', 'c'], [{ hash: 'a', status: true }])).toEqual([1, 3]);
  });

  // A small pool of hashes makes duplicates and matches common.
  const pool = fc.array(anyHash, { minLength: 1, maxLength: 4 });
  const reply = (hashes: readonly string[]) =>
    fc.array(
      fc.oneof(
        fc.record({
          hash: fc.oneof(fc.constantFrom(...hashes), anyHash),
          status: fc.constantFrom<unknown>(true, false, 'true', 1, null),
        }),
        fc.anything(),
      ),
      { maxLength: 12 },
    );
  const exchange = pool.chain((hashes) =>
    fc.record({ sent: fc.array(fc.constantFrom(...hashes), { minLength: 1, maxLength: 8 }), items: reply(hashes) }),
  );
  const text = (items: readonly unknown[]) =>
    JSON.stringify(items, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

  it('confirms an event exactly when an item of the reply has its hash and `status: true`', () => {
    fc.assert(
      fc.property(exchange, ({ sent, items }) => {
        const received = JSON.parse(text(items)) as unknown[];
        const left = unacknowledged(sent, acknowledgedHashes(JSON.parse(text(items)) as unknown[]));
        for (const [position, hash] of sent.entries()) {
          const confirmed = received.some(
            (item) =>
              typeof item === 'object' &&
              item !== null &&
              (item as { hash?: unknown }).hash === hash &&
              (item as { status?: unknown }).status === true,
          );
          expect(left.includes(position)).toBe(!confirmed);
        }
      }),
    );
  });

  it('does not depend on the order of items, repeated items, or unknown hashes', () => {
    const shuffled = exchange.chain(({ sent, items }) =>
      fc.record({
        sent: fc.constant(sent),
        items: fc.constant(items),
        again: fc.shuffledSubarray([...items, ...items, { hash: 'a stranger of ours', status: true }], {
          minLength: items.length * 2 + 1,
        }),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ sent, items, again }) => {
        fc.pre(!sent.includes('a stranger of ours'));
        expect(unacknowledged(sent, acknowledgedHashes(JSON.parse(text(again)) as unknown[]))).toEqual(
          unacknowledged(sent, acknowledgedHashes(JSON.parse(text(items)) as unknown[])),
        );
      }),
    );
  });
});
