import { eventually } from '@mailhook/testing';
import { every, untilNextMs } from './every.ts';

describe('every', () => {
  test('waits until the next multiple of the interval, also after a timer that ended early', () => {
    const waits = [0, 1, 499, 500, 996, 998, 1000].map((nowMs) => untilNextMs(500, nowMs));
    expect(waits).toEqual([500, 499, 501, 500, 4, 502, 500]);
  });

  test('runs what is due together in one turn, and nothing after its close', async () => {
    let isSameTurn = false;
    let together = 0;
    let late = 0;
    const first = every(20, () => {
      isSameTurn = true;
      queueMicrotask(() => (isSameTurn = false));
    });
    await eventually(() => isSameTurn || performance.now() % 20 > 10, { what: 'another time' });
    const second = every(40, () => {
      if (isSameTurn) together += 1;
      else late += 1;
    });
    await eventually(() => together > 1, { what: 'both to run in one turn' });
    await second.close();
    const runs = together + late;
    let more = 0;
    const third = every(40, () => (more += 1));
    await eventually(() => more > 1, { what: 'another one to run' });
    expect(together + late).toBe(runs);
    await Promise.all([first.close(), third.close()]);
  });

  test('runs nothing twice at a time, and its close waits for the run', async () => {
    let end: () => void = () => undefined;
    let runs = 0;
    const repeated = every(
      5,
      () => {
        runs += 1;
        return new Promise<void>((resolve) => (end = resolve));
      },
      'now',
    );
    let others = 0;
    const other = every(5, () => (others += 1));
    await eventually(() => others > 2, { what: 'its time to come again' });
    expect(runs).toBe(1);
    let isClosed = false;
    const closed = repeated.close().then(() => (isClosed = true));
    await other.close();
    expect(isClosed).toBe(false);
    end();
    await closed;
  });
});
