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

  test('runs the first task now, and the others in their order with a pause after each', () => {
    const inTurn = createTurns();
    const seen: string[] = [];
    const add = (name: string): void => inTurn(() => seen.push(name) > 0);
    for (const name of ['a', 'b', 'c']) add(name);
    expect(seen).toEqual(['a']);
    pass(1);
    expect(seen).toEqual(['a']);
    pass(1);
    expect(seen).toEqual(['a', 'b']);
    pass(9);
    expect(seen).toEqual(['a', 'b', 'c']);
    add('d');
    expect(seen).toEqual(['a', 'b', 'c']);
    pass(2);
    expect(seen).toEqual(['a', 'b', 'c', 'd']);
    expect(timers).toEqual([]);
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
    pass(2);
    expect(seen).toEqual(['a', 'gone', 'gone too', 'b']);
    pass(2);
    expect(seen.at(-1)).toBe('c');
  });
});
