import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { bundleProgram } from '@mailhook/testing';
import { claimDataDir } from './only-one.ts';
import { identify } from './processes.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'mailhook-claim-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Claims the folder once per line of its input, says whether it has it, and keeps it until it is killed. */
const CONTENDER = `
  import { createInterface } from 'node:readline';
  import { claimDataDir } from './scripts/stack/only-one.ts';
  console.log('up');
  createInterface({ input: process.stdin }).on('line', (folder) => {
    try {
      claimDataDir(folder);
      console.log('won');
    } catch (error) {
      console.log(error.message);
    }
  });
`;

async function startContender(program: string) {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const output = createInterface({ input: child.stdout });
  const next = async (): Promise<string> => ((await once(output, 'line')) as [string])[0];
  await next();
  return {
    pid: child.pid!,
    claim: (): Promise<string> => {
      child.stdin.write(`${folder}\n`);
      return next();
    },
    kill: async (): Promise<void> => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

test('of several processes that find a killed holder at the same moment, one gets the folder', async () => {
  const program = await bundleProgram(CONTENDER);
  let left = await Promise.all(Array.from({ length: 5 }, () => startContender(program)));
  try {
    while (left.length > 0) {
      const said = await Promise.all(left.map((one) => one.claim()));
      expect(said.filter((text) => text === 'won')).toHaveLength(1);
      const winner = left[said.indexOf('won')]!;
      const refusal = `Another \`npm start\` (process ${winner.pid}) uses ${folder}. Stop it, or set`;
      for (const text of said) if (text !== 'won') expect(text).toContain(refusal);
      left = left.filter((one) => one !== winner);
      await winner.kill();
    }
  } finally {
    for (const one of left) await one.kill();
  }
}, 60_000);

test('a released folder is free, and only the newest claim stays', () => {
  claimDataDir(folder).release();
  claimDataDir(folder).release();
  expect(readdirSync(folder)).toHaveLength(1);
});

test('a claim names what the killed start before it ran', () => {
  const own = identify(process.pid)!;
  writeFileSync(
    path.join(folder, 'supervisor.7'),
    JSON.stringify({ holder: { pid: 1, startedAt: 'long ago' }, programs: { redis: own } }),
  );
  expect(claimDataDir(folder).leftovers).toEqual({ redis: own });
  expect(readdirSync(folder)).toEqual(['supervisor.8']);
});
