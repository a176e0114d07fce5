import fc from 'fast-check';
import type { FollowUp, SentBatch, SettlePolicy } from './follow-up.ts';
import { isRefusal, partToSend, settlement } from './follow-up.ts';
import type { Outcome } from './outcome.ts';

const policy: SettlePolicy = {
  retry: { scheduleMs: [100, 200], jitter: 0 },
  partialAck: 'unconfirmed',
  poisonSplit: true,
};
const ok: Outcome = { name: 'delivered', httpStatus: 200, error: undefined, unconfirmed: [], retryAfter: undefined };
const failed = (more: Partial<Outcome> = {}): Outcome => ({
  ...ok,
  name: 'rejected',
  httpStatus: 500,
  error: 'no',
  unconfirmed: 'all',
  ...more,
});
const refused = failed({ httpStatus: 400 });
const confirmedAllBut = (...unconfirmed: number[]): Outcome => ({ ...ok, error: 'some', unconfirmed });
const list = (count: number) => Array.from({ length: count }, (_, i) => `e${i}`);
const batch = (count: number, more: Partial<SentBatch> = {}): SentBatch => ({
  fragments: list(count).join('\n'),
  events: count,
  step: 0,
  refusedOnly: true,
  split: '',
  ...more,
});
const after = (sent: SentBatch, outcome: Outcome, own: Partial<SettlePolicy> = {}) =>
  settlement(sent, outcome, { ...policy, ...own }, 0.5, 0);
const brief = ({ type, same, fragments, events, step, split, waitMs, refusedOnly }: FollowUp) => ({
  type,
  same,
  fragments,
  events,
  step,
  split,
  waitMs,
  refusedOnly,
});

test.each([
  ['400', failed({ httpStatus: 400 }), true],
  ['413', failed({ httpStatus: 413 }), true],
  ['422', failed({ httpStatus: 422 }), true],
  ['500', failed(), false],
  ['an acknowledgement that confirms nothing', failed({ httpStatus: 200 }), false],
  ['a reply that is no array', failed({ name: 'invalid-reply', httpStatus: 200 }), true],
  ['a timeout', failed({ name: 'timeout', httpStatus: undefined }), false],
  ['a rejection without a status', failed({ httpStatus: undefined }), false],
])('%s: a refusal of the content? %p', (_what, outcome, expected) => {
  expect(isRefusal(outcome)).toBe(expected);
});

describe('the schedule', () => {
  test('all confirmed: done', () => {
    expect(after(batch(3), ok)).toEqual({ delivered: 3, followUps: [] });
  });
  test('a failure: the same again, one step further', () => {
    const { delivered, followUps } = after(batch(3), failed());
    expect(delivered).toBe(0);
    expect(followUps.map(brief)).toEqual([
      {
        type: 'resend',
        same: true,
        fragments: 'e0\ne1\ne2',
        events: 3,
        step: 1,
        split: '',
        waitMs: 100,
        refusedOnly: false,
      },
    ]);
  });
  test('a part confirmed: a new batch of the rest, in order', () => {
    const { delivered, followUps } = after(batch(4), confirmedAllBut(1, 3));
    expect(delivered).toBe(2);
    expect(followUps.map(brief)).toEqual([
      {
        type: 'resend',
        same: false,
        fragments: 'e1\ne3',
        events: 2,
        step: 1,
        split: '',
        waitMs: 100,
        refusedOnly: false,
      },
    ]);
  });
  test('PARTIAL_ACK=batch: the whole request again, under its own id', () => {
    const { delivered, followUps } = after(batch(4), confirmedAllBut(1), { partialAck: 'batch' });
    expect(delivered).toBe(0);
    expect(followUps.map(brief)).toMatchObject([{ type: 'resend', same: true, events: 4 }]);
  });
  test('after the last wait: one dead letter', () => {
    expect(after(batch(3, { step: 2 }), failed()).followUps.map(brief)).toMatchObject([
      { type: 'dead', same: true, events: 3 },
    ]);
  });
  test('a refusal keeps the suspicion of poison only while nothing else happened', () => {
    expect(after(batch(3), refused).followUps[0]?.refusedOnly).toBe(true);
    expect(after(batch(3, { refusedOnly: false }), refused).followUps[0]?.refusedOnly).toBe(false);
  });
});

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
  test('a part that fails otherwise is given up, for it is tried once', () => {
    const timeout = failed({ name: 'timeout', httpStatus: undefined });
    expect(after(batch(4, { split: 'first' }), timeout).followUps.map(brief)).toMatchObject([
      { type: 'dead', fragments: 'e0\ne1' },
      { type: 'send-now', split: 'deeper', fragments: 'e2\ne3' },
    ]);
    expect(after(batch(4, { split: 'second' }), timeout).followUps.map(brief)).toMatchObject([
      { fragments: 'e0', split: 'deeper' },
      { fragments: 'e1', split: 'deeper' },
      { type: 'dead', fragments: 'e2\ne3' },
    ]);
    expect(after(batch(2, { split: 'deeper' }), confirmedAllBut(1))).toMatchObject({
      delivered: 1,
      followUps: [{ type: 'dead', fragments: 'e1' }],
    });
  });
  test('a single refused event is the poison', () => {
    expect(after(batch(1, { split: 'deeper' }), refused).followUps.map(brief)).toMatchObject([
      { type: 'dead', fragments: 'e0' },
    ]);
  });

  test('property: whichever events are poison, the rest is delivered, each event ends once, and dead letters hold little else', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 200 }), fc.array(fc.nat(199), { maxLength: 3 }), (count, poison) => {
        const isPoison = (name: string) => poison.includes(Number(name.slice(1)));
        const ended: string[] = [];
        const dead: string[] = [];
        const open = [batch(count, { split: 'first' })];
        for (let sent = open.shift(); sent !== undefined; sent = open.shift()) {
          const part = partToSend(sent);
          const isRefused = part.fragments.split('\n').some(isPoison);
          const { delivered, followUps } = after(sent, isRefused ? refused : ok);
          if (!isRefused) ended.push(...part.fragments.split('\n'));
          expect(delivered).toBe(isRefused ? 0 : part.events);
          for (const followUp of followUps) {
            if (followUp.type === 'dead') dead.push(...followUp.fragments.split('\n'));
            else open.push(followUp);
          }
        }
        expect([...ended, ...dead].sort()).toEqual(list(count).sort());
        const poisoned = list(count).filter(isPoison);
        const inBothHalves = new Set(poisoned.map((name) => Number(name.slice(1)) < Math.ceil(count / 2))).size === 2;
        if (!inBothHalves) expect(dead.sort()).toEqual(poisoned.sort());
      }),
    );
  });
});
