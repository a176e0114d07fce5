import { createDeadlines } from './deadlines.ts';

const collecting = (log: string[], name: string) => ({
  dueMs: 0,
  onDue() {
    log.push(name);
  },
});

describe('createDeadlines', () => {
  test('deadlines end in the order in which they started and never early, and stopped ones never end', async () => {
    const deadlines = createDeadlines(40);
    const log: string[] = [];
    const stopped = collecting(log, 'stopped');
    deadlines.start(stopped);
    deadlines.start(collecting(log, 'first'));
    deadlines.stop(stopped);
    await new Promise<void>((resolve) => setTimeout(resolve, 20));
    const startedMs = deadlines.start(collecting(log, 'second'));
    await new Promise<void>((resolve) => {
      deadlines.start({ dueMs: 0, onDue: resolve });
    });
    expect(log).toEqual(['first', 'second']);
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(39);
  });

  test('a deadline that ends may start another one', async () => {
    const deadlines = createDeadlines(5);
    let rounds = 0;
    await new Promise<void>((resolve) => {
      const again = {
        dueMs: 0,
        onDue() {
          rounds += 1;
          if (rounds === 3) resolve();
          else deadlines.start(again);
        },
      };
      deadlines.start(again);
    });
    expect(rounds).toBe(3);
  });

  test('many deadlines that are due together end in order, and other work runs in between', async () => {
    const deadlines = createDeadlines(5);
    const log: string[] = [];
    const names = Array.from({ length: 20 }, (_, i) => `deadline ${i}`);
    deadlines.start({ dueMs: 0, onDue: () => setImmediate(() => log.push('something else')) });
    for (const name of names) deadlines.start(collecting(log, name));
    await new Promise<void>((resolve) => {
      deadlines.start({ dueMs: 0, onDue: resolve });
    });
    expect(log.filter((name) => name !== 'something else')).toEqual(names);
    expect(log.indexOf('something else')).toBeLessThan(names.length);
  });
});
