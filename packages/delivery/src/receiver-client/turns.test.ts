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
    const add = (name: string): void => inTurn('a', () => seen.push(name) > 0);
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
    for (let i = 0; i < 20; i += 1) inTurn('a', () => (done += 1) > 0);
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
      inTurn('a', () => {
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

  test('accounts take turns, and one that comes later waits for one task of each other account', () => {
    const inTurn = createTurns();
    const seen: string[] = [];
    const add = (account: string, count: number): void => {
      for (let i = 0; i < count; i += 1) inTurn(account, () => seen.push(account) > 0);
    };
    add('a', 100);
    add('b', 2);
    add('c', 1);
    for (let i = 0; i < 4; i += 1) pass(3);
    add('d', 1);
    for (let i = 0; i < 5; i += 1) pass(3);
    expect(seen.join('')).toBe('aabcabadaa'.slice(0, seen.length));
    expect(seen).toContain('d');
  });

  test('tasks without work take no turn of their account', () => {
    const inTurn = createTurns();
    const seen: string[] = [];
    inTurn('a', () => true);
    for (const [account, hasWork] of [
      ['a', false],
      ['a', true],
      ['b', false],
      ['c', true],
      ['b', true],
    ] as const) {
      inTurn(account, () => {
        seen.push(account + (hasWork ? '' : ' gone'));
        return hasWork;
      });
    }
    for (let i = 0; i < 3; i += 1) pass(3);
    expect(seen).toEqual(['a gone', 'a', 'b gone', 'b', 'c']);
  });
});
