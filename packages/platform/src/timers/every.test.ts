import { eventually } from '@mailhook/testing';
import { every, untilNextMs } from './every.ts';

describe('every', () => {
  test('waits until the next multiple of the interval, also after a timer that ended early', () => {
    const waits = [0, 1, 499, 500, 996, 998, 1000].map((nowMs) => untilNextMs(500, nowMs));
    expect(waits).toEqual([500, 499, 501, 500, 4, 502, 500]);
  });

  test('runs what is due together in one turn, and nothing after its close', async () => {
    let turn: string[] = [];
    const turns: string[] = [];
    const end = (): void => {
      turns.push(turn.sort().join(' '));
      turn = [];
    };
    const note = (name: string) => () => {
      if (turn.push(name) === 1) queueMicrotask(end);
    };
    const first = every(20, note('first'));
    const second = every(40, note('second'));
    await eventually(() => turns.filter((names) => names === 'first second').length > 1, { what: 'both in one turn' });
    await second.close();
    const runs = turns.join(' ').split('second').length;
    let more = 0;
    const third = every(40, () => (more += 1));
    await eventually(() => more > 1, { what: 'another one to run' });
    expect(turns.join(' ').split('second')).toHaveLength(runs);
    await Promise.all([first.close(), third.close()]);
  });

  test('a work that throws rejects its close, and stops nothing else', async () => {
    const fail = (): never => {
      throw new Error('no work');
    };
    await expect(every(20, fail, 'now').close()).rejects.toThrow('no work');
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
