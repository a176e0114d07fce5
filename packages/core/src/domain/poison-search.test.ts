import fc from 'fast-check';
import { after, batch, brief, confirmedAllBut, failed, list, ok, refused } from './follow-up.suite.ts';
import { partToSend } from './follow-up.ts';
import type { Outcome } from './outcome.ts';

describe('the search for a poison event', () => {
  test('starts after nothing but refusals, with the whole as a new batch whose first half goes now', () => {
    expect(after(batch(4, { step: 2 }), refused).followUps.map(brief)).toMatchObject([
      { type: 'send-now', same: false, events: 4, split: 'first' },
    ]);
    expect(partToSend(batch(4, { split: 'first' }))).toEqual({ fragments: 'e0\ne1', events: 2 });
    expect(partToSend(batch(4, { split: 'second' }))).toEqual({ fragments: 'e2\ne3', events: 2 });
    expect(partToSend(batch(4, { split: 'deeper' }))).toMatchObject({ events: 4 });
  });
  test.each([
    ['a single event', batch(1, { step: 2 }), refused, {}],
    ['POISON_SPLIT=false', batch(4, { step: 2 }), refused, { poisonSplit: false }],
    ['some other failure on the way', batch(4, { step: 2, refusedOnly: false }), refused, {}],
  ])('does not start with %s', (_what, sent, outcome, own) => {
    expect(after(sent, outcome, own).followUps.map(({ type }) => type)).toEqual(['dead']);
  });
  test('both first halves refused: one dead letter of the whole', () => {
    const second = after(batch(4, { split: 'first' }), refused).followUps;
    expect(second.map(brief)).toMatchObject([{ type: 'send-now', events: 4, split: 'second' }]);
    expect(after(batch(4, { split: 'second' }), refused).followUps.map(brief)).toMatchObject([
      { type: 'dead', events: 4, fragments: 'e0\ne1\ne2\ne3' },
    ]);
  });
  test('the first half confirmed: the second is tried, and searched when it is refused', () => {
    const result = after(batch(4, { split: 'first' }), ok);
    expect(result).toMatchObject({
      delivered: 2,
      followUps: [{ type: 'send-now', events: 2, split: 'deeper', fragments: 'e2\ne3' }],
    });
    expect(after(batch(2, { split: 'deeper' }), ok)).toEqual({ delivered: 2, followUps: [] });
    expect(after(batch(2, { split: 'deeper' }), refused).followUps.map(brief)).toMatchObject([
      { fragments: 'e0', split: 'deeper', events: 1 },
      { fragments: 'e1', split: 'deeper', events: 1 },
    ]);
  });
  test('the first half refused, the second confirmed: the first is searched', () => {
    expect(after(batch(4, { split: 'second' }), ok)).toMatchObject({
      delivered: 2,
      followUps: [{ fragments: 'e0' }, { fragments: 'e1' }],
    });
  });
  test.each(['first', 'second', 'deeper'] as const)(
    'a fault that says nothing of the events (stage %s): the same is sent again after the last wait, as often as the schedule has waits',
    (split) => {
      const timeout = failed({ name: 'timeout', httpStatus: undefined });
      for (const step of [0, 1]) {
        expect(after(batch(4, { split, step }), timeout)).toEqual({
          delivered: 0,
          followUps: [
            {
              ...{ type: 'resend', same: true, fragments: 'e0\ne1\ne2\ne3', events: 4 },
              ...{ step: step + 1, split, waitMs: 200, refusedOnly: true },
            },
          ],
        });
      }
    },
  );
  test('where no wait is left, what was sent is given up, and the search goes on', () => {
    const timeout = failed({ name: 'timeout', httpStatus: undefined });
    expect(after(batch(4, { split: 'first', step: 2 }), timeout).followUps.map(brief)).toMatchObject([
      { type: 'dead', fragments: 'e0\ne1' },
      { type: 'send-now', split: 'deeper', fragments: 'e2\ne3', step: 2 },
    ]);
    expect(after(batch(4, { split: 'second', step: 2 }), timeout).followUps.map(brief)).toMatchObject([
      { fragments: 'e0', split: 'deeper', step: 2 },
      { fragments: 'e1', split: 'deeper', step: 2 },
      { type: 'dead', fragments: 'e2\ne3' },
    ]);
    expect(after(batch(2, { split: 'deeper', step: 2 }), confirmedAllBut(1))).toMatchObject({
      delivered: 1,
      followUps: [{ type: 'dead', fragments: 'e1' }],
    });
  });
  test('a receiver that must not be asked again ends it at once', () => {
    const blocked = failed({ name: 'blocked', httpStatus: undefined });
    expect(after(batch(2, { split: 'deeper' }), blocked).followUps.map(brief)).toMatchObject([{ type: 'dead' }]);
  });
  test('a part of which some is confirmed: the others are sent again, or, with PARTIAL_ACK=batch, all of it', () => {
    expect(after(batch(4, { split: 'first' }), confirmedAllBut(1))).toMatchObject({
      delivered: 1,
      followUps: [
        { type: 'resend', same: false, fragments: 'e1', events: 1, split: 'deeper', step: 1, waitMs: 200 },
        { type: 'send-now', fragments: 'e2\ne3', split: 'deeper', step: 0 },
      ],
    });
    expect(after(batch(4, { split: 'first' }), confirmedAllBut(1), { partialAck: 'batch' })).toMatchObject({
      delivered: 0,
      followUps: [{ type: 'resend', same: true, events: 4, split: 'first' }],
    });
    expect(after(batch(4, { split: 'first' }), ok, { partialAck: 'batch' })).toMatchObject({ delivered: 2 });
  });
  test('a single refused event is the poison', () => {
    expect(after(batch(1, { split: 'deeper' }), refused).followUps.map(brief)).toMatchObject([
      { type: 'dead', fragments: 'e0' },
    ]);
  });

  const anyPoison = fc.array(fc.nat(199), { maxLength: 3 });
  const sizes = fc.integer({ min: 2, max: 200 });
  const isPoisonIn = (poison: readonly number[]) => (name: string) => poison.includes(Number(name.slice(1)));

  /** Sends a batch and all that follows it; `reply` says how each request goes, by its events and its number. */
  function search(count: number, reply: (names: readonly string[], request: number) => Outcome) {
    const ended: string[] = [];
    const dead: string[] = [];
    const open = [batch(count, { split: 'first' })];
    let requests = 0;
    for (let sent = open.shift(); sent !== undefined; sent = open.shift()) {
      const names = partToSend(sent).fragments.split('\n');
      const outcome = reply(names, requests);
      requests += 1;
      const { delivered, followUps } = after(sent, outcome);
      const left = outcome.unconfirmed;
      const confirmed = left === 'all' ? [] : names.filter((_name, i) => !left.includes(i));
      expect(delivered).toBe(confirmed.length);
      ended.push(...confirmed);
      for (const followUp of followUps) {
        if (followUp.type === 'dead') dead.push(...followUp.fragments.split('\n'));
        else open.push(followUp);
      }
    }
    expect([...ended, ...dead].sort()).toEqual(list(count).sort());
    return { dead: dead.sort(), requests };
  }

  test('property: whichever events are poison, the rest is delivered, each event ends once, and dead letters hold little else', () => {
    fc.assert(
      fc.property(sizes, anyPoison, (count, poison) => {
        const isPoison = isPoisonIn(poison);
        const { dead } = search(count, (names) => (names.some(isPoison) ? refused : ok));
        const poisoned = list(count).filter(isPoison);
        const inBothHalves = new Set(poisoned.map((name) => Number(name.slice(1)) < Math.ceil(count / 2))).size === 2;
        if (!inBothHalves) expect(dead).toEqual(poisoned.sort());
      }),
    );
  });

  const passing: readonly Outcome[] = [
    failed({ httpStatus: 503 }),
    failed({ name: 'timeout', httpStatus: undefined }),
    failed({ name: 'unreachable', httpStatus: undefined }),
    confirmedAllBut(0),
  ];
  /** A reply for a part; one that leaves an event open needs another that is confirmed. */
  const faultFor = (names: readonly string[], fault: Outcome): Outcome =>
    fault.unconfirmed !== 'all' && names.length === 1 ? failed() : fault;

  test('property: as many passing faults as the schedule has waits, whenever they come, lose no good event', () => {
    const faults = fc.array(fc.tuple(fc.nat(30), fc.constantFrom(...passing)), { maxLength: 2 });
    fc.assert(
      fc.property(sizes, fc.nat(199), faults, (count, poison, when) => {
        const isPoison = isPoisonIn([poison]);
        const { dead } = search(count, (names, request) => {
          const fault = when.find(([at]) => at === request)?.[1];
          if (fault !== undefined && !names.some(isPoison)) return faultFor(names, fault);
          if (fault !== undefined && fault.unconfirmed === 'all') return fault;
          return names.some(isPoison) ? refused : ok;
        });
        expect(dead).toEqual(list(count).filter(isPoison));
      }),
    );
  });

  test('property: whatever comes, it ends, each event once', () => {
    const replies = fc.array(fc.constantFrom(ok, refused, ...passing), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(sizes, replies, (count, script) => {
        const { requests } = search(count, (names, request) =>
          faultFor(names, script[request % script.length] as Outcome),
        );
        // A tree of two parts an event at most, each tried three times at most, and its first split twice.
        expect(requests).toBeLessThanOrEqual(8 * count);
      }),
    );
  });
});
