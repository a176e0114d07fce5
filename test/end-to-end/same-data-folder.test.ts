import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '@mailhook/testing';
import type { StartedStack } from './rig/started-stack.ts';
import { freePorts, isRunning, startProcess, startStack } from './rig/started-stack.ts';

const START_MS = 180_000;

/** Pids of the processes that work in a folder. */
const processesIn = (folder: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && folderOf(name) === folder)
    .map(Number);

function folderOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

const parentOf = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
};

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);

/** The files of a data folder that describe the running stack, with their contents. */
const stateOf = (dataDir: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(dataDir, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => [name, readFileSync(path.join(dataDir, name), 'utf8')]),
  );

describe('a second npm start on the same data folder', () => {
  const ports = freePorts();
  let stack: StartedStack;
  beforeAll(async () => {
    stack = await startStack({ ports: await ports });
  }, START_MS);
  afterAll(() => stack.close(), 60_000);

  test.each(['the same ports', 'other ports'])(
    'with %s names the first one and changes nothing',
    async (which) => {
      const [before, { pids }] = [stateOf(stack.dataDir), stack.file];
      const second = await startProcess({
        ports: which === 'other ports' ? await freePorts() : await ports,
        env: { DATA_DIR: stack.dataDir },
      });
      try {
        const ready = eventually(() => /Mailhook is ready/.test(second.output), { withinMs: 60_000, what: 'its end' });
        await Promise.race([second.exited, ready]);
        const supervisor = parentOf(pids.api);
        expect(second.output).toContain(`Another \`npm start\` (process ${supervisor}) uses ${stack.dataDir}.`);
        expect(await second.exited).toBe(1);
      } finally {
        await second.close();
      }
      expect(stateOf(stack.dataDir)).toEqual(before);
      expect(processesIn(path.join(stack.dataDir, 'redis'))).toEqual([pids.redis]);
      for (const pid of Object.values(pids)) expect(isRunning(pid)).toBe(true);
    },
    START_MS,
  );

  test(
    'after a SIGKILL of the first ends what it has left',
    async () => {
      const { pids } = stack.file;
      const supervisor = parentOf(pids.api);
      const programs = new Set(Object.values(pids));
      const [guard] = childrenOf(supervisor).filter((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'sh\n');
      // Without the guard nobody ends Redis.
      process.kill(guard!, 'SIGKILL');
      process.kill(supervisor, 'SIGKILL');
      await stack.exited;
      expect(isRunning(pids.redis)).toBe(true);
      const second = await startStack({ ports: await ports, env: { DATA_DIR: stack.dataDir } });
      try {
        const { redis } = second.file.pids;
        expect(programs.has(redis)).toBe(false);
        expect(processesIn(path.join(stack.dataDir, 'redis'))).toEqual([redis]);
      } finally {
        await second.close();
      }
    },
    START_MS,
  );
});
