import { createTurns } from './turns.ts';

describe('createTurns', () => {
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
