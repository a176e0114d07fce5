import { after, batch, brief, confirmedAllBut, failed, ok, refused } from './follow-up.suite.ts';
import { isRefusal } from './follow-up.ts';

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
