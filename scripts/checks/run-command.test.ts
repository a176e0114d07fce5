import { existsSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { eventually } from '@mailhook/testing';
import { runNode } from './run-command.ts';

const WITHIN = { withinMs: 60_000 };
const HANGS = ['-e', 'setInterval(() => undefined, 1000)'];

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);

/** The program itself is not asked, because on a busy machine it would not come to its answer. */
test('a program in the background comes after all others, and so does its session', async () => {
  const before = childrenOf(process.pid);
  const over = new AbortController();
  const ended = runNode(HANGS, process.env, { ...WITHIN, isInBackground: true, signal: over.signal });
  const [pid = 0] = childrenOf(process.pid).filter((child) => !before.includes(child));
  const session = `/proc/${pid}/autogroup`;
  await eventually(() => getPriority(pid) === 19, { ...WITHIN, what: 'its priority' });
  if (existsSync(session))
    await eventually(() => readFileSync(session, 'utf8').trim().endsWith('nice 19'), {
      ...WITHIN,
      what: 'its session',
    });
  over.abort();
  expect((await ended).code).toBe(null);
});

test('any other program has the priority of this one', async () => {
  const { output } = await runNode(['-p', 'require("node:os").getPriority()'], process.env, WITHIN);
  expect(output).toBe(String(getPriority()));
});

test('a program ends with its children at its time limit', async () => {
  const spawns = "require('node:child_process').spawn('sleep', ['600'], { stdio: 'inherit' })";
  const starts = `${spawns}; setInterval(() => undefined, 1000)`;
  const { code, output } = await runNode(['-e', starts], process.env, { withinMs: 500 });
  expect([code, output]).toEqual([null, 'not done after 0.5 s: ended']);
});
