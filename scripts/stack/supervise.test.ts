import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { identify, isRunning, whenGone } from './processes.ts';
import { restartDelayMs, supervise } from './supervise.ts';
import type { Exit, Supervised } from './supervise.ts';

const opened: Supervised[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.kill();
});

/** Supervises a node program. The returned queue hands out its events one by one. */
function start(code: string, restarts = true) {
  const waiting: ((value: string) => void)[] = [];
  const happened: string[] = [];
  const tell = (what: string): void => {
    const next = waiting.shift();
    if (next === undefined) happened.push(what);
    else next(what);
  };
  const exits: Exit[] = [];
  const supervised = supervise(
    { name: 'sample', command: process.execPath, args: ['-e', code], env: process.env, hasChannel: true },
    {
      onPid: () => undefined,
      onLine: (line) => tell(line),
      onDeath: (exit) => {
        exits.push(exit);
        tell('died');
        return restarts;
      },
    },
  );
  opened.push(supervised);
  const next = () => {
    const known = happened.shift();
    return known === undefined ? new Promise<string>((resolve) => waiting.push(resolve)) : Promise.resolve(known);
  };
  return { supervised, exits, next };
}

test('a program that dies is started again, as another process', async () => {
  const { supervised, exits, next } = start("console.log('up'); setInterval(() => {}, 1e6)");
  await expect(next()).resolves.toBe('up');
  const first = supervised.pid!;
  process.kill(first, 'SIGKILL');
  await expect(next()).resolves.toBe('died');
  await expect(next()).resolves.toBe('up');
  expect(exits).toEqual([expect.objectContaining({ code: null, signal: 'SIGKILL' })]);
  expect(supervised.pid).not.toBe(first);
});

test('its last lines are reported before its death', async () => {
  const { next } = start("console.error('the reason'); process.exit(78)", false);
  await expect(next()).resolves.toBe('the reason');
  await expect(next()).resolves.toBe('died');
});

test('stop lets it end by itself and does not start it again', async () => {
  const { supervised, exits, next } = start(
    "process.on('SIGTERM', () => { console.log('bye'); process.exit(0); }); console.log('up'); setInterval(() => " +
      '{}, 1e6)',
  );
  await next();
  const pid = supervised.pid!;
  await expect(supervised.stop(5000)).resolves.toBe(true);
  expect(isRunning(pid)).toBe(false);
  expect(exits).toEqual([]);
});

test('stop kills a program that ignores SIGTERM', async () => {
  const { supervised, next } = start("process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1e6)");
  await next();
  const pid = supervised.pid!;
  await expect(supervised.stop(50)).resolves.toBe(false);
  expect(isRunning(pid)).toBe(false);
});

test('a program that cannot be started at all is reported as a death', async () => {
  const lines: string[] = [];
  const died = new Promise<void>((resolve) => {
    const supervised = supervise(
      { name: 'missing', command: '/does/not/exist', args: [], env: {}, hasChannel: false },
      {
        onPid: () => undefined,
        onLine: (line) => lines.push(line),
        onDeath: () => {
          resolve();
          return false;
        },
      },
    );
    opened.push(supervised);
  });
  await died;
  expect(lines).toEqual([expect.stringContaining('/does/not/exist could not be started')]);
});

test.each([
  [1, 100],
  [2, 200],
  [5, 1600],
  [8, 10_000],
  [50, 10_000],
])('the start after death %i waits %i ms', (deaths, expected) => {
  expect(restartDelayMs(deaths)).toBe(expected);
});

test('whenGone resolves with the processes that still run', async () => {
  const child = spawn(process.execPath, ['-e', "console.log('up'); setInterval(() => {}, 1e6)"], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(createInterface({ input: child.stdout }), 'line');
  const running = identify(child.pid!)!;
  const reused = { pid: child.pid!, startedAt: 'another time' };
  await expect(whenGone([running, reused], 100)).resolves.toEqual([running]);
  child.kill('SIGKILL');
  await expect(whenGone([running], 5000)).resolves.toEqual([]);
});
