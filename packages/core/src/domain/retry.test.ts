import { coded } from './coded-text.ts';
import fc from 'fast-check';
import { batchOutcome, notificationOutcome } from './outcome.ts';
import type { Outcome, ReceiverExchange } from './outcome.ts';
import { nextStep, retryAfterMs } from './retry.ts';
import type { NextStep, RetryPolicy } from './retry.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 12);
const POLICY: RetryPolicy = { scheduleMs: [100, 400, 200], jitter: 0 };
const reply = (status: number, retryAfter?: string): ReceiverExchange => ({
  type: 'reply',
  status,
  statusText: '',
  retryAfter,
  body: undefined,
});
const after = (status: number, retryAfter?: string): Outcome => notificationOutcome(reply(status, retryAfter));
const step = (outcome: Outcome, at: number, policy = POLICY, random = 0.5): NextStep =>
  nextStep(outcome, at, policy, random, NOW_MS);

const anySchedule = fc.array(fc.integer({ min: 0, max: 86_400_000 }), { minLength: 1, maxLength: 12 });

describe('nextStep', () => {
  it('gives n + 1 attempts for n waits', () => {
    fc.assert(
      fc.property(anySchedule, fc.double({ min: 0, max: 0.999, noNaN: true }), (scheduleMs, random) => {
        let attempts = 1;
        for (let at = 0; ; attempts += 1) {
          const next = step(after(500), at, { scheduleMs, jitter: 0.2 }, random);
          if (next.type === 'dead') break;
          expect(next.step).toBe(at + 1);
          at = next.step;
        }
        expect(attempts).toBe(scheduleMs.length + 1);
      }),
    );
  });

  it('draws each wait from wait x (1 - jitter) to wait x (1 + jitter)', () => {
    fc.assert(
      fc.property(
        anySchedule,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 0.999_999, noNaN: true }),
        (scheduleMs, jitter, random) => {
          for (const [at, entryMs] of scheduleMs.entries()) {
            const next = step(after(500), at, { scheduleMs, jitter }, random);
            if (next.type === 'dead') throw new Error('dead before the end of the schedule');
            expect(next.waitMs).toBeGreaterThanOrEqual(Math.floor(entryMs * (1 - jitter)));
            expect(next.waitMs).toBeLessThanOrEqual(Math.ceil(entryMs * (1 + jitter)));
            expect(Number.isInteger(next.waitMs)).toBe(true);
          }
        },
      ),
    );
  });

  it.each([
    [0, 80],
    [0.5, 100],
    [1, 120],
  ])('uses the whole range of the jitter: random %d waits %d ms', (random, waitMs) => {
    expect(step(after(500), 0, { scheduleMs: [100], jitter: 0.2 }, random)).toEqual({
      type: 'resend',
      waitMs,
      step: 1,
    });
  });

  it.each<[string, Outcome]>([
    ['400', after(400)],
    ['404', after(404)],
    ['500', after(500)],
    ['301', after(301)],
    ['a timeout', notificationOutcome({ type: 'timeout' })],
    ['no connection', notificationOutcome({ type: 'unreachable', detail: coded('reset') })],
    ['garbage', notificationOutcome({ type: 'invalid-reply', detail: coded('reset') })],
    [
      'a partial acknowledgement',
      batchOutcome({ ...reply(200), body: '[{"hash":"a","status":true}]' } as ReceiverExchange, ['a', 'b']),
    ],
  ])('resends after %s', (_what, outcome) => {
    expect(step(outcome, 0)).toEqual({ type: 'resend', waitMs: 100, step: 1 });
  });

  it.each<[string, Outcome]>([
    ['a blocked address', notificationOutcome({ type: 'blocked', detail: coded('not-url') })],
    ['410', after(410)],
  ])('gives up at once after %s', (_what, outcome) => {
    expect(step(outcome, 0)).toEqual({ type: 'dead' });
  });

  it.each([
    [429, '0', 0, 100],
    // Shorter than the scheduled wait, which stands.
    [429, '0', 1, 400],
    // Longer than every scheduled wait, so the longest one is the limit.
    [429, '3600', 0, 400],
    [503, '3600', 2, 400],
    [503, '99999999999999999999999999', 0, 400],
    // With every error that is resent.
    [400, '3600', 0, 400],
    [404, '3600', 0, 400],
    [413, '3600', 0, 400],
    [500, '3600', 0, 400],
    [502, '3600', 0, 400],
    [529, '3600', 0, 400],
    [599, '0.1', 0, 400],
    [429, 'soon', 0, 100],
    [429, undefined, 0, 100],
    // Not with other replies.
    [304, '3600', 0, 100],
    [302, '3600', 0, 100],
  ])('%d with Retry-After %j at step %d waits %d ms', (status, retryAfter, at, waitMs) => {
    expect(step(after(status, retryAfter), at)).toEqual({ type: 'resend', waitMs, step: at + 1 });
  });

  it('ignores the Retry-After of a 2xx that acknowledges nothing', () => {
    expect(step(batchOutcome({ ...reply(200, '3600'), body: 'OK' } as ReceiverExchange, ['a']), 0)).toEqual({
      type: 'resend',
      waitMs: 100,
      step: 1,
    });
  });

  it('honors a Retry-After between the scheduled wait and the longest wait, as seconds and as a date', () => {
    const policy = { scheduleMs: [1000, 60_000], jitter: 0 };
    expect(step(after(429, '7'), 0, policy)).toEqual({ type: 'resend', waitMs: 7000, step: 1 });
    const date = new Date(NOW_MS + 9000).toUTCString();
    expect(step(after(503, date), 0, policy)).toEqual({ type: 'resend', waitMs: 9000, step: 1 });
  });

  it('property: waits max(scheduled wait, min(Retry-After, longest wait))', () => {
    fc.assert(
      fc.property(anySchedule, fc.nat(100_000), (scheduleMs, seconds) => {
        const next = step(after(429, String(seconds)), 0, { scheduleMs, jitter: 0 });
        const waitMs = Math.max(scheduleMs[0]!, Math.min(seconds * 1000, Math.max(...scheduleMs)));
        expect(next).toEqual({ type: 'resend', waitMs, step: 1 });
      }),
    );
  });
});

describe('retryAfterMs', () => {
  const inOneMinute = new Date(NOW_MS + 60_000);
  const inTwoMinutes = new Date(NOW_MS + 120_000);
  it.each([
    [undefined, 0],
    [null, 0],
    ['', 0],
    ['120', 120_000],
    [' 0 ', 0],
    // Fractions are rounded up to whole seconds.
    ['20.5', 21_000],
    ['20.0', 20_000],
    ['20.', 20_000],
    ['0.001', 1000],
    ['.5', 1000],
    // Two headers come as a list. The longest wait counts.
    ['20, 20', 20_000],
    ['20, 30', 30_000],
    ['30,20.5', 30_000],
    ['20, soon', 20_000],
    ['soon, 20', 20_000],
    [', 20,', 20_000],
    [`20, ${inOneMinute.toUTCString()}`, 60_000],
    [`${inOneMinute.toUTCString()}, 90`, 90_000],
    [`${inTwoMinutes.toUTCString()}, ${inOneMinute.toUTCString()}`, 120_000],
    ['Saturday, 21-Nov-26 12:01:00 GMT, 5', 60_000],
    ['9'.repeat(400), Number.POSITIVE_INFINITY],
    ['-5', 0],
    ['10s', 0],
    ['1e3', 0],
    ['1.2.3', 0],
    ['.', 0],
    ['0x10', 0],
    [inOneMinute.toUTCString(), 60_000],
    ['Saturday, 21-Nov-26 12:01:00 GMT', 60_000],
    ['Sat Nov 21 12:01:00 2026', 60_000],
    // A time in the past means no wait.
    ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
    // Not HTTP dates, although `Date.parse` accepts some of them. Plain digits are seconds.
    [inOneMinute.toISOString(), 0],
    ['Monkey 2099', 0],
    ['2099', 2_099_000],
    ['Sun, 99 Foo 1994 08:49:37 GMT', 0],
  ])('reads %j as %j ms', (header, ms) => {
    expect(retryAfterMs(header, NOW_MS)).toBe(ms);
  });

  it('property: reads any text as a wait of 0 or more', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        const [a, b, both] = [one, other, `${one}, ${other}`].map((text) => retryAfterMs(text, NOW_MS));
        expect(a).toBeGreaterThanOrEqual(0);
        expect(b).toBeGreaterThanOrEqual(0);
        expect(both).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
