import fc from 'fast-check';
import { after, batch, confirmedAllBut, failed, list, ok, refused } from './follow-up.suite.ts';
import { partToSend } from './halving.ts';
import type { Outcome } from './outcome.ts';
import type { SentBatch } from './sent-batch.ts';

interface Ended {
  readonly delivered: readonly string[];
  /** The events of each dead letter. */
  readonly dead: readonly (readonly string[])[];
  readonly requests: number;
  /** The number of resends after a wait. */
  readonly waits: number;
}

/**
 * Sends a batch that has no wait left, and all its follow-ups. `reply` decides the outcome of each request from its
 * events and its number. Checks that each event is delivered or given up exactly once, and that no `webhook-id` is used
 * for two contents.
 */
function search(names: readonly string[], reply: Reply, random: () => number): Ended {
  const open = [{ sent: batch(names.length, { fragments: names.join('\n'), step: 2 }), id: 'w' }];
  const contents = new Map<string, string>();
  const delivered: string[] = [];
  const dead: string[][] = [];
  let [requests, waits, ids] = [0, 0, 0];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const { sent, id } = next;
    const part = partToSend(sent);
    const requestId = part.events === sent.events ? id : `${id}-${part.from}-${part.from + part.events}`;
    expect(contents.get(requestId) ?? part.fragments).toBe(part.fragments);
    contents.set(requestId, part.fragments);
    const tried = part.fragments.split('\n');
    const outcome = reply(tried, requests);
    requests += 1;
    const { unconfirmed } = outcome;
    const confirmed = unconfirmed === 'all' ? [] : tried.filter((_name, i) => !unconfirmed.includes(i));
    const result = after(sent, outcome, {}, random());
    expect(result.delivered).toBe(confirmed.length);
    delivered.push(...confirmed);
    for (const { type, identity, ...followUp } of result.followUps) {
      if (type === 'dead') dead.push(followUp.fragments.split('\n'));
      else open.push({ sent: { ...followUp }, id: { batch: id, request: requestId, new: `n${(ids += 1)}` }[identity] });
      if (type === 'resend') waits += 1;
    }
  }
  expect([...delivered, ...dead.flat()].sort()).toEqual([...names].sort());
  return { delivered, dead, requests, waits };
}
type Reply = (names: readonly string[], request: number) => Outcome;

/** A seeded random generator of numbers in [0, 1). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const refusing =
  (poison: ReadonlySet<string>): Reply =>
  (names) =>
    names.some((name) => poison.has(name)) ? refused : ok;
const namesOf = (positions: readonly number[], count: number) => new Set(positions.map((i) => `e${i % count}`));
const anyPoison = (maxLength: number) => fc.array(fc.nat(999), { minLength: 1, maxLength });
const anySeed = fc.nat(2 ** 31);
/** The most requests after the first one, which carries the whole batch. */
const boundOf = (count: number, poison: number): number =>
  Math.min(256, 2 * poison * Math.ceil(Math.log2(count / poison)) + 4 * poison);

test('property: up to 15 poison events are found at every position, and all others are delivered', () => {
  fc.assert(
    fc.property(fc.integer({ min: 300, max: 1000 }), anyPoison(15), anySeed, (count, positions, seed) => {
      const poison = namesOf(positions, count);
      const { dead, requests } = search(list(count), refusing(poison), randomOf(seed));
      expect(dead.map(([name, ...others]) => [name, others.length]).sort()).toEqual(
        [...poison].sort().map((name) => [name, 0]),
      );
      expect(requests - 1).toBeLessThanOrEqual(boundOf(count, poison.size));
    }),
    { numRuns: 60 },
  );
});

test('property: in a small batch, every poison event is found and all others are delivered', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 12 }), anyPoison(12), anySeed, (count, positions, seed) => {
      const poison = namesOf(positions, count);
      const { delivered } = search(list(count), refusing(poison), randomOf(seed));
      expect(delivered).toHaveLength(count - poison.size);
    }),
  );
});

test.each([
  [1, 20],
  [2, 40],
  [1000, 22],
])('%i poison events among 1,000 cost at most %i requests', (count, most) => {
  for (let seed = 0; seed < 20; seed += 1) {
    const random = randomOf(seed * 7919);
    const poison = namesOf(
      Array.from({ length: count }, (_, i) => (count === 1000 ? i : Math.floor(random() * 1000))),
      1000,
    );
    const { requests, dead } = search(list(1000), refusing(poison), random);
    expect(requests - 1).toBeLessThanOrEqual(most);
    expect(dead).toHaveLength(count === 1000 ? 1 : poison.size);
  }
});

test('property: a search takes at most 256 requests, and a redrive finds the remaining poison events', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 300 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      anySeed,
      (count, density, seed) => {
        const random = randomOf(seed);
        const poison = new Set(list(count).filter(() => random() < density));
        const delivered = new Set<string>();
        let letters: (readonly string[])[] = [list(count)];
        // If nearly every event is poison, a re-drive finds a good event only by chance.
        for (let round = 0; round < 1000 && delivered.size < count - poison.size; round += 1) {
          letters = letters.flatMap((letter) => {
            if (letter.length === 1) return [letter];
            const ended = search(letter, refusing(poison), random);
            expect(ended.requests - 1).toBeLessThanOrEqual(256);
            for (const name of ended.delivered) delivered.add(name);
            return ended.dead;
          });
        }
        expect(delivered.size).toBe(count - poison.size);
      },
    ),
    { numRuns: 30 },
  );
});

const passing: readonly Outcome[] = [
  failed({ httpStatus: 503 }),
  failed({ name: 'timeout', httpStatus: undefined }),
  failed({ name: 'unreachable', httpStatus: undefined }),
  confirmedAllBut(0),
];
/** Adapts a fault to a part. A partial acknowledgement needs at least two events. */
const faultFor = (names: readonly string[], fault: Outcome): Outcome =>
  fault.unconfirmed !== 'all' && names.length === 1 ? failed({ httpStatus: 502 }) : fault;

test('property: no good event is lost if there are at most as many passing faults as the schedule has waits', () => {
  const faults = fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.constantFrom(...passing)), { maxLength: 2 });
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 200 }), anyPoison(3), faults, anySeed, (count, positions, when, seed) => {
      const poison = namesOf(positions, count);
      const reply: Reply = (names, request) => {
        const fault = when.find(([at]) => at === request)?.[1];
        const hasPoison = names.some((name) => poison.has(name));
        if (fault === undefined || (hasPoison && fault.unconfirmed !== 'all')) return refusing(poison)(names, request);
        return faultFor(names, fault);
      };
      const { delivered } = search(list(count), reply, randomOf(seed));
      expect(delivered).toHaveLength(count - poison.size);
    }),
    // The second fault once took the last requests of a search for two events.
    { examples: [[191, [513, 672, 0], [21, 24].map((at) => [at, passing[0] as Outcome]), 2_122_268_406]] },
  );
});

test('property: with any series of replies, each event ends once, within 256 requests plus the delayed resends', () => {
  const replies = fc.array(fc.constantFrom(ok, refused, failed(), ...passing), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 200 }), replies, anySeed, (count, script, seed) => {
      const reply: Reply = (names, request) =>
        request === 0 ? refused : faultFor(names, script[request % script.length] as Outcome);
      const { requests, waits } = search(list(count), reply, randomOf(seed));
      expect(requests - 1).toBeLessThanOrEqual(256 + waits);
    }),
  );
});

test('property: each event ends once, with 413 replies, refusals and passing faults in any order', () => {
  const replies = fc.array(fc.constantFrom(ok, refused, failed({ httpStatus: 413 }), ...passing), {
    minLength: 1,
    maxLength: 20,
  });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), replies, anySeed, (count, script, seed) => {
      const open: SentBatch[] = [batch(count)];
      const ended: string[] = [];
      const random = randomOf(seed);
      for (let request = 0, sent = open.shift(); sent !== undefined; sent = open.shift(), request += 1) {
        const tried = partToSend(sent).fragments.split('\n');
        const outcome = faultFor(tried, script[request % script.length] as Outcome);
        const { unconfirmed } = outcome;
        if (unconfirmed !== 'all') ended.push(...tried.filter((_name, i) => !unconfirmed.includes(i)));
        for (const { type, ...followUp } of after(sent, outcome, {}, random()).followUps) {
          if (type === 'dead') ended.push(...followUp.fragments.split('\n'));
          else open.push(followUp);
        }
        expect(request).toBeLessThan(2000);
      }
      expect(ended.sort()).toEqual(list(count).sort());
    }),
  );
});
