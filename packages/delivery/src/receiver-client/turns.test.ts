import { createTurns } from './turns.ts';

describe('createTurns', () => {
  let now: jest.SpyInstance<number>;
  beforeEach(() => {
    now = jest.spyOn(performance, 'now').mockReturnValue(0);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  test('one task per turn of the event loop, in their order; the first one runs now', async () => {
    const inTurn = createTurns();
    const seen: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      inTurn(() => {
        seen.push(name);
        return true;
      });
    }
    expect(seen).toEqual(['a']);
    for (const expected of [
      ['a', 'b'],
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ]) {
      await nextTurn();
      expect(seen).toEqual(expected);
    }
    inTurn(() => seen.push('d') > 0);
    expect(seen.at(-1)).toBe('d');
  });

  test('a turn that took long allows one task per 4 ms, up to four', async () => {
    const inTurn = createTurns();
    let done = 0;
    for (let i = 0; i < 10; i += 1) inTurn(() => (done += 1) > 0);
    now.mockReturnValue(9);
    await nextTurn();
    expect(done).toBe(3);
    await nextTurn();
    expect(done).toBe(4);
    now.mockReturnValue(1000);
    await nextTurn();
    expect(done).toBe(8);
  });

  test('a task without work uses up no turn', async () => {
    const inTurn = createTurns();
    const seen: string[] = [];
    const task = (name: string, hasWork: boolean) => (): boolean => {
      seen.push(name);
      return hasWork;
    };
    inTurn(task('a', true));
    inTurn(task('gone', false));
    inTurn(task('gone too', false));
    inTurn(task('b', true));
    inTurn(task('c', true));
    await nextTurn();
    expect(seen).toEqual(['a', 'gone', 'gone too', 'b']);
    await nextTurn();
    expect(seen.at(-1)).toBe('c');
  });
});

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
