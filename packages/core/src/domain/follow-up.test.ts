import { after, batch, confirmedAllBut, failed, ok } from './follow-up.suite.ts';
import type { Outcome } from './outcome.ts';
import { isRefusal, isSuspect } from './refusal.ts';

const timeout = failed({ name: 'timeout', httpStatus: undefined });

test.each<[string, Outcome, boolean, boolean]>([
  ['400', failed({ httpStatus: 400 }), true, false],
  ['413', failed({ httpStatus: 413 }), true, false],
  ['422', failed({ httpStatus: 422 }), true, false],
  ['500', failed(), false, true],
  ['an acknowledgement that confirms nothing', failed({ httpStatus: 200 }), false, true],
  ['a reply that is no array', failed({ name: 'invalid-reply', httpStatus: 200 }), true, false],
  ['a timeout', timeout, false, false],
  ['no connection', failed({ name: 'unreachable', httpStatus: undefined }), false, false],
  ['an address that is blocked', failed({ name: 'blocked', httpStatus: undefined }), false, false],
  ['a rejection without a status', failed({ httpStatus: undefined }), false, false],
  ...[301, 401, 403, 404, 405, 408, 410, 429, 502, 503, 504].map((httpStatus): [string, Outcome, boolean, boolean] => [
    `${httpStatus}`,
    failed({ httpStatus }),
    false,
    false,
  ]),
])('%s: isRefusal %p, isSuspect %p', (_what, outcome, refusal, suspect) => {
  expect(isRefusal(outcome)).toBe(refusal);
  expect(isSuspect(outcome)).toBe(suspect);
});

describe('the schedule', () => {
  const common = { isTried: true, step: 1, search: '', waitMs: 100 } as const;

  test('a confirmed batch has no follow-ups', () => {
    expect(after(batch(3), ok)).toEqual({ delivered: 3, followUps: [] });
  });
  test('a failed batch is resent at the next step of the schedule', () => {
    expect(after(batch(3), failed())).toEqual({
      delivered: 0,
      followUps: [{ ...common, type: 'resend', identity: 'batch', fragments: 'e0\ne1\ne2', events: 3 }],
    });
  });
  test('a batch is resent unchanged after the current wait if Mailhook ended the request, even after the last', () => {
    const cut = failed({ name: 'cut', httpStatus: undefined });
    const again = (step: number, waitMs: number) => ({
      delivered: 0,
      followUps: [{ ...common, type: 'resend', identity: 'batch', fragments: 'e0', events: 1, step, waitMs }],
    });
    expect(after(batch(1, { step: 1 }), cut)).toEqual(again(1, 200));
    expect(after(batch(1, { step: 2 }), cut)).toEqual(again(2, 200));
    const none = { retry: { scheduleMs: [], jitter: 0 } };
    expect(after(batch(1), cut, none)).toEqual(again(0, 5000));
    const search = '{"phase":"halve","from":0,"events":1,"requests":9,"suspects":0}';
    expect(after(batch(1, { search }), cut).followUps).toMatchObject([{ search, step: 0 }]);
  });
  test('after a partial acknowledgement, the unconfirmed events become a new batch, in order', () => {
    expect(after(batch(4), confirmedAllBut(1, 3))).toEqual({
      delivered: 2,
      followUps: [{ ...common, type: 'resend', identity: 'new', fragments: 'e1\ne3', events: 2 }],
    });
  });
  test('with PARTIAL_ACK=batch, the whole batch is resent under the same id', () => {
    expect(after(batch(4), confirmedAllBut(1), { partialAck: 'batch' })).toMatchObject({
      delivered: 0,
      followUps: [{ type: 'resend', identity: 'batch', events: 4 }],
    });
  });
  test('after the last wait, the batch becomes one dead letter', () => {
    expect(after(batch(3, { step: 2 }), timeout).followUps).toMatchObject([
      { type: 'dead', identity: 'batch', isTried: true, events: 3 },
    ]);
    expect(after(batch(3, { step: 2 }), confirmedAllBut(1)).followUps).toMatchObject([
      { type: 'dead', identity: 'new', isTried: true, fragments: 'e1' },
    ]);
  });
});
