import { newDrain } from './drain.ts';
import { Load } from './load.ts';

const CLOSED = { failures: 0, parkMs: 0, parkedUntilMs: 0 };
const limits = { slots: 256, ownedMax: 4096, inFlightCharsMax: 1_000_000 };

describe('the room of a pool', () => {
  test('for destinations without a successful last attempt is larger while none of them is slow', () => {
    const load = new Load(limits);
    expect(load.room).toEqual({ proven: 231, others: 192 });
    load.areOthersSlow = true;
    expect(load.room).toEqual({ proven: 231, others: 24 });
    for (let i = 0; i < 30; i += 1) load.add(newDrain(`d${i}`, `w.${i}`, CLOSED, 0));
    expect(load.room.others).toBe(0);
    load.areOthersSlow = false;
    expect(load.room.others).toBe(162);
  });

  test('for the others leaves a quarter of few slots to proven destinations', () => {
    expect(new Load({ ...limits, slots: 24 }).room.others).toBe(18);
  });
});
