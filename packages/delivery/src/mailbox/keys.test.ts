import fc from 'fast-check';
import { accountIdInput, mechanism } from '@mailhook/core';
import { formatDeadLetterId, parseDeadLetterId } from './dead-letter-id.ts';
import type { EngineKeys } from './keys.ts';
import { engineKeys, producerIdDigest } from './keys.ts';

/** Texts in which separators are frequent, so that joined texts meet if they can. */
const free = fc.string({ unit: fc.constantFrom('a', 'b', ':', '.', '-', '_', '~', ' ', '\n', '"', ',', '@') });
const accountId = free.filter((text) => accountIdInput.safeParse(text).success);
/** Ids that Mailhook makes, and those of destinations. */
const id = fc.string({ minLength: 1, unit: fc.constantFrom('a', 'b', '0', ':', '.', '-', '_') });

const BUILDERS: Record<string, (keys: EngineKeys) => fc.Arbitrary<readonly [args: readonly unknown[], key: string]>> = {
  lane: (keys) =>
    fc.tuple(fc.constantFrom('f' as const, 'u' as const), id).map((args) => [args, keys.lane(...args)] as const),
  resendsOf: (keys) => id.map((one) => [[one], keys.resendsOf(one)] as const),
  resend: (keys) => id.map((one) => [[one], keys.resend(one)] as const),
  progress: (keys) => id.map((one) => [[one], keys.progress(one)] as const),
  claimed: (keys) => id.map((one) => [[one], keys.claimed(one)] as const),
  deadLetter: (keys) => id.map((one) => [[one], keys.deadLetter(one)] as const),
  deadLetterEntries: (keys) => id.map((one) => [[one], keys.deadLetterEntries(one)] as const),
  fixed: (keys) =>
    fc
      .constantFrom(
        ...([
          'due',
          'live',
          'records',
          'targets',
          'heads',
          'backlog',
          'parked',
          'paused',
          'gone',
          'workers',
          'hosts',
          'lost',
          'lostWrites',
          'readyChannel',
        ] as const),
        ...(['deadLetters', 'sums', 'heavy', 'overfull', 'waitingMax', 'ids', 'blocks', 'blocksOldest'] as const),
        ...(['logState', 'logChunks', 'logOutcomes', 'logGaps', 'logClosedGaps', 'logShares', 'logOpen'] as const),
      )
      .map((name) => [[name], keys[name]] as const),
  proven: (keys) => fc.constant([['proven'], keys.readyLists[0]] as const),
  deadLettersOf: (keys) => accountId.map((one) => [[one], keys.deadLettersOf(one)] as const),
  deletedOf: (keys) => accountId.map((one) => [[one], keys.deletedOf(one)] as const),
  redriven: (keys) => accountId.map((one) => [[one], keys.redriven(one)] as const),
  attempts: (keys) =>
    fc
      .tuple(accountId, fc.constantFrom('delivered' as const, 'packed' as const, 'failed' as const, 'erased' as const))
      .map((args) => [args, keys.attempts(...args)] as const),
  bodies: (keys) => fc.tuple(accountId, fc.nat()).map((args) => [args, keys.bodies(...args)] as const),
  history: (keys) =>
    fc.tuple(accountId, fc.stringMatching(/^[mh]\d+$/)).map((args) => [args, keys.history(...args)] as const),
  idBucket: (keys) => fc.nat().map((bucket) => [[bucket], keys.idBucket(bucket)] as const),
  logReplay: (keys) => id.map((one) => [[one], keys.logReplay(one)] as const),
  logChunk: (keys) => id.map((one) => [[one], keys.logChunk(one)] as const),
  trends: (keys) => fc.nat().map((hour) => [[hour], keys.trends(hour)] as const),
};

/** Keys that both mechanisms of a shard share. */
const SHARED =
  /^(deadLetters(Of)?|deletedOf|redriven|sums|heavy|over\w+|waitingMax|(attempt|bodie|history|trend|id|block|log)\w*)$/;

const allKeys = [0, 1].flatMap((shard) => mechanism.options.map((kind) => engineKeys('mailhook', shard, kind)));

const built = fc.tuple(fc.constantFrom(...allKeys), fc.constantFrom(...Object.keys(BUILDERS))).chain(([keys, name]) =>
  BUILDERS[name]!(keys).map(([args, key]) => {
    const isShared = SHARED.test(name === 'fixed' ? String(args[0]) : name);
    return { named: JSON.stringify([keys.shard, isShared ? '' : keys.kind, name, args]), key };
  }),
);

test('different arguments of all builders give different keys', () => {
  const found = new Map<string, string>();
  fc.assert(
    fc.property(built, ({ named, key }) => {
      expect(found.get(key) ?? named).toBe(named);
      found.set(key, named);
    }),
    { numRuns: 20_000 },
  );
});

test('every builder of keys is tried', () => {
  const [keys] = allKeys;
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(keys)).filter((name) => name !== 'constructor');
  const source = Object.values(BUILDERS).map(String).join('\n');
  expect(names.filter((name) => !new RegExp(`keys\\.${name}\\b|'${name}'`).test(source))).toEqual([]);
});

test('different accounts, mechanisms and ids have different digests', () => {
  const found = new Map<string, string>();
  const args = fc.tuple(accountId, fc.constantFrom(...mechanism.options), free);
  fc.assert(
    fc.property(args, (one) => {
      const digest = producerIdDigest(...one);
      expect(found.get(digest) ?? JSON.stringify(one)).toBe(JSON.stringify(one));
      found.set(digest, JSON.stringify(one));
    }),
    { numRuns: 5000 },
  );
});

test('the digests of ids differ for accounts whose joined ids read the same, and show nothing of an id', () => {
  const digests = [
    producerIdDigest('acme', 'campaign', 'eu:order-1'),
    producerIdDigest('acme:eu', 'campaign', 'order-1'),
  ];
  expect(new Set(digests).size).toBe(2);
  expect(producerIdDigest('acme', 'campaign', 'open zoe@example.com')).toMatch(/^[\w-]{16}$/);
});

test('a public id of a dead letter gives back what it was made of', () => {
  const place = fc.record({
    kind: fc.constantFrom('campaign' as const, 'transactional' as const),
    shard: fc.nat(9999),
    id: fc.stringMatching(/^[\w.-]{1,200}$/),
  });
  fc.assert(fc.property(place, (one) => expect(parseDeadLetterId(formatDeadLetterId(one))).toEqual(one)));
});
