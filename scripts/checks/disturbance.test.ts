import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@mailhook/testing';
import { startBusyLoops, withLateTimers } from './disturbance.ts';
import { readTestOptions } from './options.ts';

const run = promisify(execFile);
const JEST = path.resolve('node_modules/jest/bin/jest.js');

/** Prints the delays of 5 timers of 100 ms and of 5 intervals of 1000 ms. */
const DELAYS = `JSON.stringify([[setTimeout, 100], [setInterval, 1000]].flatMap(([start, delayMs]) =>
  Array.from({ length: 5 }, () => {
    const timer = start(() => {}, delayMs);
    const { _idleTimeout } = timer;
    clearTimeout(timer);
    return _idleTimeout;
  })))`;

/** Runs the code in a child process, because NODE_OPTIONS takes effect only when a process starts. */
const delaysOf = async (env: NodeJS.ProcessEnv, code = DELAYS): Promise<number[]> =>
  JSON.parse((await run(process.execPath, ['-p', code], { env })).stdout) as number[];

const plainEnv: NodeJS.ProcessEnv = { ...process.env, NODE_OPTIONS: '' };

function expectLate(delays: readonly number[]): void {
  const [timeouts, intervals] = [delays.slice(0, 5), delays.slice(5)];
  expect(new Set(delays).size).toBe(10);
  expect([Math.min(...timeouts) > 100, Math.max(...timeouts) <= 130]).toEqual([true, true]);
  expect([Math.min(...intervals) > 1000, Math.max(...intervals) <= 1200]).toEqual([true, true]);
}

describe('late timers', () => {
  // The field `_idleTimeout` is a timer's delay. A measured delay would depend on the machine.
  test('a process fires its timers late, and repeats them with the same seed', async () => {
    const [one, same, other] = await Promise.all([7, 7, 8].map((seed) => delaysOf(withLateTimers(plainEnv, seed))));
    expectLate(one!);
    expect(same).toEqual(one);
    expect(other).not.toEqual(one);
    expect(await delaysOf(plainEnv)).toEqual([...Array<number>(5).fill(100), ...Array<number>(5).fill(1000)]);
  });

  test('timers of 0 ms and timers beyond the largest delay keep their delay', async () => {
    const code =
      'JSON.stringify([0, 2 ** 31].map((ms) => { const { _idleTimeout } = setTimeout(() => {}, ms).unref(); return ' +
      '_idleTimeout; }))';
    const env = { ...withLateTimers(plainEnv, 7), NODE_NO_WARNINGS: '1' };
    expect(await delaysOf(env, code)).toEqual(await delaysOf({ ...plainEnv, NODE_NO_WARNINGS: '1' }, code));
  });

  test('timers of node:timers/promises and of ES modules fire late too', async () => {
    const code = `import { setTimeout as timeout } from 'node:timers';
      import { setTimeout as wait } from 'node:timers/promises';
      import { promisify } from 'node:util';
      const isLate = wait.toString().includes('late');
      console.log(timeout === globalThis.setTimeout, wait === promisify(setTimeout), isLate);`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code], {
      env: withLateTimers(plainEnv, 7),
    });
    expect(stdout.trim()).toBe('true true true');
  });

  test("tests in jest's workers, and the processes that they start, fire their timers late", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'mailhook-jitter-'));
    const code = `const { writeFileSync } = require('node:fs'); const { execFileSync } = require('node:child_process');
      test('delays', () => {
        const inside = JSON.parse(${DELAYS});
        const child = JSON.parse(execFileSync(process.execPath, ['-p', ${JSON.stringify(DELAYS)}]));
        writeFileSync(__filename + '.json', JSON.stringify({ inside, child }));
      });`;
    for (const name of ['a', 'b']) writeFileSync(path.join(folder, `${name}.test.js`), code);
    const config = JSON.stringify({ rootDir: folder, testEnvironment: 'node', transform: {} });
    await run(process.execPath, [JEST, '--config', config, '--maxWorkers=2', '--silent'], {
      env: withLateTimers(plainEnv, 7),
    });
    for (const name of ['a', 'b']) {
      const delays = JSON.parse(readFileSync(path.join(folder, `${name}.test.js.json`), 'utf8')) as {
        inside: number[];
        child: number[];
      };
      expectLate(delays.inside);
      expectLate(delays.child);
    }
    rmSync(folder, { recursive: true });
  });
});

test('busy loops use the processor until they are stopped', async () => {
  const loops = startBusyLoops(2);
  const ticksOf = (pid: number): number => Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[13]);
  for (const pid of loops.pids) {
    await eventually(() => ticksOf(pid) > 20, { withinMs: 20_000, what: 'a busy loop that uses the processor' });
  }
  await loops.stop();
  for (const pid of loops.pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  expect(loops.pids).toHaveLength(2);
});

describe('options', () => {
  test('the default is one seed, timers on time and no load', () => {
    expect(readTestOptions([])).toMatchObject({ seed: 1, hasJitter: false, isBesideLoad: false });
  });
  test('--seed is for all random choices', () => {
    expect(readTestOptions(['--jitter', '--seed', '42', '--beside-load'])).toMatchObject({
      seed: 42,
      hasJitter: true,
      isBesideLoad: true,
    });
    expect(() => readTestOptions(['--seed', 'x'])).toThrow('--seed is "x", but must be a whole number');
  });
});
