import type { SizeLimit } from '@mailhook/core';
import type { Attempt } from '../record/attempt.ts';
import { aBatch, aTarget } from './attempt-samples.suite.ts';
import type { Drain } from './drain.ts';
import { newDrain, requestOf } from './drain.ts';
import { applyAttempt } from './apply-attempt.ts';

const CLOSED = { failures: 0, parkMs: 0, parkedUntilMs: 0 };
const limitOf = (maxBytes: number): SizeLimit => ({ maxBytes, takenBytes: 0, growAtMs: 600_000, growAfterMs: 600_000 });
const FITTING = { fitting: { maxBytes: 1100, takenBytes: 1007 } };
/** 1,007 bytes as `bodyBytes` counts them. */
const content = `${'x'.repeat(497)}\n${'x'.repeat(498)}`;

const attempt = (
  httpStatus: number,
  lesson: Pick<Attempt['settlement'], 'isCut' | 'fitting'>,
  { version = 1, sizeLimit = undefined as SizeLimit | undefined } = {},
): Attempt => ({
  ...{ destination: 'd', webhookId: 'msg_1', endedAtMs: 0 },
  batch: aBatch({ events: 2, content }),
  target: aTarget({ version, sizeLimit }),
  sent: {
    outcome: {
      ...{ name: httpStatus === 200 ? 'delivered' : 'rejected', httpStatus, error: undefined },
      ...{ unconfirmed: httpStatus === 200 ? [] : 'all', retryAfter: undefined },
    },
    ...{ durationMs: 1, events: 2, fragments: '', eventKeys: [] },
  },
  settlement: { delivered: 0, followUps: [], ...lesson },
});

describe('the size limit after an attempt', () => {
  let drain: Drain;
  beforeEach(() => {
    drain = newDrain('d', 'w_1', CLOSED, 0);
    drain.window = 4;
  });
  const apply = (...args: Parameters<typeof attempt>): void => {
    const made = attempt(...args);
    drain.target = made.target;
    applyAttempt(drain, made, { failures: 1, parkMaxMs: 1000 }, 4, () => 'w-1');
  };
  const written = () => requestOf(drain).learned?.size;

  test('a 413 that cuts a batch is no failure of the receiver, and sets no limit yet', () => {
    apply(413, { isCut: true });
    expect(written()).toBeUndefined();
    expect(drain).toMatchObject({ breaker: CLOSED, breakerChanged: false, window: 4 });
  });
  test('the first request that fits afterwards sets the limit', () => {
    apply(200, FITTING);
    expect(written()).toBe('1100 1007 600000 600000');
  });
  test('a 413 that does not cut is a failure', () => {
    apply(413, {});
    expect(drain).toMatchObject({ breaker: { failures: 1 }, window: 1 });
  });
  test('a delivery updates a known limit, and writes nothing without one', () => {
    apply(200, {});
    expect(written()).toBeUndefined();
    apply(200, {}, { sizeLimit: limitOf(2000) });
    expect(written()).toBe('2000 1007 600000 600000');
    apply(503, {}, { sizeLimit: limitOf(2000) });
    expect(drain.size?.limit).toMatchObject({ takenBytes: 1007 });
  });
  test('a batch that was frozen earlier does not restore an older limit', () => {
    apply(200, FITTING, { sizeLimit: limitOf(2000) });
    apply(200, {}, { sizeLimit: limitOf(2000) });
    expect(drain.size?.limit?.maxBytes).toBe(1100);
    drain.sizeChanged = false;
    expect(written()).toBeUndefined();
  });
  test('each version of the record has its own limit', () => {
    apply(200, FITTING);
    apply(200, {}, { version: 2, sizeLimit: limitOf(3000) });
    expect(written()).toBe('3000 1007 600000 600000');
  });
});
