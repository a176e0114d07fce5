import fc from 'fast-check';
import { campaignDestinationId, shardOf } from './destination.ts';

describe('campaignDestinationId', () => {
  it('contains the account', () => {
    expect(campaignDestinationId('acc_1')).toBe('campaign-acc_1');
  });
});

describe('shardOf', () => {
  it('is always the same valid shard', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 64 }), (account, shards) => {
        const shard = shardOf(account, shards);
        expect(Number.isInteger(shard) && shard >= 0 && shard < shards).toBe(true);
        expect(shardOf(account, shards)).toBe(shard);
      }),
    );
  });

  // Stored data depends on these numbers. With another hash function, Mailhook would look for waiting events in the
  // wrong shard.
  it.each([
    ['', 0x811c9dc5],
    ['a', 0xe40c292c],
    ['foobar', 0xbf9cf968],
  ])('is FNV-1a: %j', (account, hash) => {
    expect(shardOf(account, 2 ** 32)).toBe(hash);
  });

  it('spreads accounts over all shards', () => {
    const counts = [0, 0, 0, 0];
    for (let i = 0; i < 4000; i += 1) counts[shardOf(`account-${i}`, 4)]! += 1;
    for (const count of counts) expect(count).toBeGreaterThan(700);
  });
});
