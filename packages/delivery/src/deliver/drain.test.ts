import type { Attempt } from '../record/attempt.ts';
import fc from 'fast-check';
import { aBatch, aDrain, aReply, aState, aTarget } from './attempt-samples.suite.ts';
import type { Asked, Drain } from './drain.ts';

const attempt = (
  httpStatus: number,
  lesson: Pick<Attempt['settlement'], 'isHalved' | 'fittingBytes'>,
  { version = 1, endedAtMs = 0 } = {},
): Attempt => ({
  destination: 'd',
  webhookId: 'msg_1',
  endedAtMs,
  batch: aBatch(),
  target: aTarget({ version }),
  sent: {
    outcome: {
      name: httpStatus === 200 ? 'delivered' : 'rejected',
      httpStatus,
      error: undefined,
      unconfirmed: httpStatus === 200 ? [] : 'all',
      retryAfter: undefined,
    },
    durationMs: 1,
    events: 4,
    fragments: '',
    eventKeys: [],
  },
  settlement: { delivered: 0, followUps: [], ...lesson },
});

const RULES = { breaker: { failures: 1, parkMaxMs: 1000 }, windowMax: 4, nowMs: 0 };
const settle = { batch: 'b', attempt: 1, delivered: 1, followUps: [] };
const written = (drain: Drain): Asked['request']['learned'] => drain.ask(true, 0).request.learned;

describe('the size limit after an attempt', () => {
  const FITTING = { fittingBytes: 1007 };
  const LATER = { endedAtMs: 24 * 3_600_000 };
  let drain: Drain;
  beforeEach(() => (drain = aDrain()));
  const apply = (httpStatus: number, lesson: Parameters<typeof attempt>[1], more = {}): void =>
    drain.onAttempt(attempt(httpStatus, lesson, more), settle, RULES);

  test('a 413 that is followed by a smaller request is no failure of the receiver, and sets no limit yet', () => {
    apply(413, { isHalved: true });
    expect(written(drain)).toBeUndefined();
    expect(drain.failures).toBe(0);
  });
  test('the first request that fits afterwards sets the limit', () => {
    apply(200, FITTING);
    expect(written(drain)).toEqual({ size: '1007 0' });
  });
  test('any other 413 is a failure', () => {
    apply(413, {});
    expect(written(drain)?.breaker).toMatchObject({ failures: 1 });
  });
  test('a delivery a day later lets the limit be forgotten, and writes nothing without one', () => {
    apply(200, {}, LATER);
    expect(written(drain)).toBeUndefined();
    drain = aDrain({ size: '2000 0' });
    apply(200, {});
    expect(written(drain)).toBeUndefined();
    apply(503, {}, LATER);
    expect(written(drain)).not.toHaveProperty('size');
    apply(200, {}, LATER);
    expect(written(drain)).toMatchObject({ size: '' });
  });
  test('a reply from before the limit was written does not restore an older one', () => {
    drain = aDrain({ size: '2000 0' });
    apply(200, FITTING, LATER);
    drain.onReply(aReply({ state: aState({ size: '2000 0' }) }), 0, false);
    drain.onWritten(drain.ask(true, 0));
    apply(200, {}, LATER);
    expect(written(drain)).toBeUndefined();
  });
  test('each version of the record has its own limit', () => {
    apply(200, FITTING);
    const target = { account: 'acc', address: 'http://127.0.0.1:9/', reason: '', credentials: '' };
    drain.onReply(aReply({ state: aState({ version: 2, revision: 2 }), target }), 0, false);
    expect(written(drain)).toBeUndefined();
    apply(200, {}, { version: 2, endedAtMs: LATER.endedAtMs });
    expect(written(drain)).toBeUndefined();
    apply(200, FITTING, { version: 1 });
    expect(written(drain)).toBeUndefined();
  });
});

describe('a drain', () => {
  test('says to the next call what it has learned since the last one was sent', () => {
    const drain = aDrain();
    drain.onAttempt(attempt(500, {}), settle, RULES);
    const asked = drain.ask(true, 0);
    drain.onAttempt(attempt(410, {}), settle, RULES);
    drain.onWritten(asked);
    expect(drain.ask(true, 0).request).toMatchObject({
      settles: [settle],
      learned: { gone: '', breaker: { failures: 2 } },
    });
    drain.onWritten(drain.ask(true, 0));
    expect(drain.ask(true, 0).request).toMatchObject({ settles: [], learned: undefined });
  });

  test('that the worker releases freezes nothing more', () => {
    const drain = aDrain();
    expect(drain.ask(true, 0).request).toMatchObject({ window: 1, isReleasing: false });
    drain.release();
    expect(drain.ask(true, 0).request).toMatchObject({ window: 0, isReleasing: true });
  });

  test('gives up its events once, although it is told so twice', () => {
    const drain = aDrain();
    const told = (): string => drain.onReply(aReply({ status: 'give up' }), 0, false).action;
    expect([told(), told(), drain.phase]).toEqual(['give up', 'nothing', 'giving up']);
    drain.onGivenUp(false);
    expect([told(), drain.phase]).toEqual(['give up', 'giving up']);
  });

  test('keeps a batch whose request meets a local fault, and sends it when its pause is over', () => {
    const drain = aDrain({}, [aBatch()]);
    const [flight] = drain.flights;
    drain.onLocalFault(flight!, 1000);
    expect(drain.onTick(1249, 1, true)).toBe(false);
    expect([drain.onTick(1250, 1, false), drain.onTick(1250, 1, true)]).toEqual([false, true]);
    expect(drain.onReply(aReply(), 1250, false).flights).toEqual([flight]);
    expect(drain.isHolding).toBe(false);
  });

  /** A step of a random play: a reply, an attempt, a tick, or what the pool does. */
  const aStep = fc.oneof(
    fc.record({
      do: fc.constant('reply' as const),
      status: fc.constantFrom('ok', 'again', 'lost', 'give up', 'expired', 'idle', 'released', 'parked', 'refused'),
      batches: fc.nat(3),
    }),
    fc.record({ do: fc.constantFrom('deliver', 'fail', 'fault', 'tick', 'release', 'given up', 'ask', 'call fails') }),
  );

  test('never loses a batch or sends it twice, and never comes back after its end', () => {
    fc.assert(
      fc.property(fc.array(aStep, { maxLength: 60 }), (steps) => {
        const drain = aDrain();
        const sent = new Set<string>();
        const open = new Set<string>();
        let nowMs = 0;
        let count = 0;
        for (const step of steps) {
          nowMs += 100;
          const wasEnded = drain.phase === 'ended';
          if (step.do === 'reply') {
            const some = step.status === 'lost' || wasEnded ? 0 : step.batches;
            const batches = Array.from({ length: some }, () => aBatch({ id: `b${(count += 1)}` }));
            for (const { id } of batches) open.add(id);
            const { flights } = drain.onReply(aReply({ status: step.status as 'ok', batches }), nowMs, false);
            for (const flight of flights) {
              if (drain.targetFor(flight, nowMs, { isLeased: true, isShort: false }) === undefined) continue;
              expect(sent.has(flight.batch.id)).toBe(false);
              sent.add(flight.batch.id);
            }
          } else if (step.do === 'tick') drain.onTick(nowMs, 4, true);
          else if (step.do === 'release') drain.release();
          else if (step.do === 'given up') drain.onGivenUp(false);
          else if (step.do === 'call fails') drain.onFailedCall();
          else if (step.do === 'ask') drain.onWritten(drain.ask(true, 0));
          else {
            const flight = drain.flights.find(({ batch }) => sent.has(batch.id));
            if (flight === undefined) continue;
            sent.delete(flight.batch.id);
            if (step.do === 'fault') {
              drain.onLocalFault(flight, nowMs);
              continue;
            }
            open.delete(flight.batch.id);
            drain.endFlight(flight);
            drain.onAttempt(attempt(step.do === 'deliver' ? 200 : 500, {}), settle, {
              ...RULES,
              breaker: { failures: 9, parkMaxMs: 1 },
            });
          }
          expect(new Set(drain.flights.map(({ batch }) => batch.id))).toEqual(open);
          if (wasEnded) expect(drain.phase).toBe('ended');
        }
      }),
    );
  });
});
