import { createTurns } from './turns.ts';

describe('createTurns', () => {
  let nowMs: number;
  let timers: (() => void)[];
  beforeEach(() => {
    nowMs = 0;
    timers = [];
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    jest.spyOn(globalThis, 'setTimeout').mockImplementation((callback) => {
      timers.push(callback);
      return {} as NodeJS.Timeout;
    });
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const pass = (ms: number): void => {
    nowMs += ms;
    for (const ring of timers.splice(0)) ring();
  };

  test('runs tasks in their order, one per 3 ms', () => {
    const inTurn = createTurns();
    const seen: string[] = [];
    const add = (name: string): void => inTurn(() => seen.push(name) > 0);
    pass(1000);
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) add(name);
    expect(seen.join('')).toBe('abcd');
    pass(2);
    expect(seen.join('')).toBe('abcd');
    pass(1);
    expect(seen.join('')).toBe('abcde');
    pass(3);
    expect(seen.join('')).toBe('abcdef');
    expect(timers).toEqual([]);
    add('g');
    expect(seen.join('')).toBe('abcdef');
    pass(3);
    expect(seen.join('')).toBe('abcdefg');
  });

  test('after a long turn of the event loop, up to four tasks follow', () => {
    const inTurn = createTurns();
    let done = 0;
    for (let i = 0; i < 20; i += 1) inTurn(() => (done += 1) > 0);
    const before = done;
    pass(6);
    expect(done - before).toBe(2);
    pass(1000);
    expect(done - before).toBe(6);
  });

  test('a task without work is followed by the next one without a pause', () => {
    const inTurn = createTurns();
    const seen: string[] = [];
    const add = (name: string, hasWork: boolean): void =>
      inTurn(() => {
        seen.push(name);
        return hasWork;
      });
    add('a', true);
    add('gone', false);
    add('gone too', false);
    add('b', true);
    add('c', true);
    expect(seen).toEqual(['a']);
    pass(3);
    expect(seen).toEqual(['a', 'gone', 'gone too', 'b']);
    pass(3);
    expect(seen.at(-1)).toBe('c');
  });
});
