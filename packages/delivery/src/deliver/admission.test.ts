import { Admission, slotsOf } from './admission.ts';
import { aBatch, aDrain } from './attempt-samples.suite.ts';
import type { Drain, Flight } from './drain.ts';
import { GATHERING_SLOTS } from './limits.ts';

const NOW_MS = 10_000;
const limits = { slots: 256, ownedMax: 4096, inFlightCharsMax: 1_000_000 };

describe('the room of a pool', () => {
  test('for destinations that are not proven is larger while none of them is slow', () => {
    const admission = new Admission(limits);
    expect(admission.room).toEqual({ proven: 231, others: 192 });
    const slow = aDrain({}, [aBatch()]);
    admission.enter(slow, false);
    admission.onTick(300, false);
    expect(admission.room).toEqual({ proven: 231, others: 24 });
    for (let i = 0; i < 30; i += 1) admission.enter(aDrain(), false);
    expect(admission.room.others).toBe(0);
    admission.leave(slow);
    admission.onTick(5400, false);
    expect(admission.room.others).toBe(162);
  });

  test('for the others leaves a quarter of few slots to proven destinations', () => {
    expect(new Admission({ ...limits, slots: 24 }).room.others).toBe(18);
  });

  test('is smaller by several slots for a destination with many events per request, until it is late', () => {
    const admission = new Admission(limits);
    const drain = aDrain({}, [aBatch()]);
    admission.enter(drain, true, slotsOf(2));
    admission.enter(aDrain(), true, slotsOf(1));
    expect(admission.room.proven).toBe(231 - GATHERING_SLOTS - 1);
    admission.onTick(1000, true);
    expect(admission.room.proven).toBe(230);
  });

  test('is smaller while calls may claim destinations', () => {
    const admission = new Admission(limits);
    const end = admission.reserve({ proven: 100, others: 50 }, 100);
    expect(admission.room).toEqual({ proven: 131, others: 142 });
    const endOther = admission.reserve({ proven: 0, others: 50 }, 50);
    expect(admission.room).toEqual({ proven: 106, others: 92 });
    expect(admission.expectsRoom(192)).toBe(true);
    end();
    endOther();
    expect(admission.room).toEqual({ proven: 231, others: 192 });
  });

  test('is not expected soon for more destinations than may be owned, or while receivers are slow', () => {
    const admission = new Admission(limits);
    expect(admission.expectsRoom(193)).toBe(false);
    admission.enter(aDrain({}, [aBatch()]), false);
    admission.onTick(300, true);
    expect(admission.expectsRoom(1)).toBe(false);
  });

  test('counts the memory of requests that are still in flight after their destination was left', () => {
    const admission = new Admission(limits);
    const drain = aDrain();
    admission.enter(drain, true);
    admission.addChars(drain, 1_000_000);
    expect(admission.isFull).toBe(true);
    admission.leave(drain);
    expect(admission.isFull).toBe(true);
    admission.addChars(drain, -1_000_000);
    expect(admission.room).toEqual({ proven: 231, others: 192 });
  });

  test('is not larger while destinations that hold a slot wait for a TLS handshake', () => {
    const admission = new Admission({ ...limits, slots: 10 });
    const drain = aDrain({}, [aBatch()]);
    admission.enter(drain, false);
    const [flight] = drain.flights;
    if (flight === undefined) throw new Error('nothing in flight');
    flight.isInLine = true;
    admission.onTick(1000, true);
    expect(admission.room.others).toBe(7);
    flight.isInLine = false;
    admission.onTick(1000, true);
    expect(admission.room.others).toBe(8);
  });

  test('ends for a destination that was late, and its slot is free for another one', () => {
    const admission = new Admission({ ...limits, slots: 10 });
    const drains = Array.from({ length: 9 }, () => aDrain({}, [aBatch()]));
    for (const drain of drains) admission.enter(drain, true);
    expect(admission.room.proven).toBe(0);
    admission.onTick(100, true);
    expect(admission.room.proven).toBe(9);
  });
});

describe('the requests that a crowded pool cuts', () => {
  let admission: Admission;
  beforeEach(() => (admission = new Admission(limits)));

  function aFlight(ageMs: number, { failures = 0, isProven = false, isSent = true } = {}): Flight {
    const drain: Drain = aDrain({ failures });
    admission.enter(drain, isProven);
    const cut = isSent ? () => undefined : undefined;
    return { drain, batch: aBatch(), startedMs: NOW_MS - ageMs, cut, isInLine: false };
  }

  test('have been in flight for 500 ms, or for 2500 ms to proven destinations', () => {
    const proven = aFlight(2600, { isProven: true });
    const other = aFlight(500);
    const flights = [proven, aFlight(2500, { isProven: true }), other, aFlight(499)];
    expect(admission.toCut(flights, NOW_MS)).toEqual([other, proven]);
  });

  test('are first those to receivers that are most likely to hang, then the oldest', () => {
    const proven = aFlight(9000, { isProven: true });
    const unknown = aFlight(3000);
    const failed = [aFlight(2000, { failures: 1 }), aFlight(1000, { failures: 5 })];
    expect(admission.toCut([proven, unknown, ...failed], NOW_MS)).toEqual([...failed, unknown, proven]);
  });

  test('are at most 64, and only those that can be cut', () => {
    const flights = Array.from({ length: 100 }, (_, i) => aFlight(1000, { isSent: i >= 10 }));
    expect(admission.toCut(flights, NOW_MS)).toEqual(flights.slice(10, 74));
  });
});
