import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { Redis } from 'ioredis';
import { eventually } from './eventually.ts';
import { startRedis } from './redis.ts';
import { cannotShiftClocks } from './shifted-clock.ts';
import { unlessImpossible } from './unless-impossible.ts';

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('startRedis', () => {
  test('keeps its data and its port after a kill and a restart', async () => {
    const server = await startRedis({ appendonly: true, appendfsync: 'always' });
    const redis = new Redis(server.url, { maxRetriesPerRequest: null });
    redis.on('error', () => undefined);
    try {
      await redis.set('kept', 'yes');
      const { pid } = server;
      await server.kill();
      expect(isAlive(pid)).toBe(false);
      await server.restart();
      expect(server.pid).not.toBe(pid);
      expect(await redis.get('kept')).toBe('yes');
      expect(await redis.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
    } finally {
      redis.disconnect();
      await server.stop();
    }
    expect(isAlive(server.pid)).toBe(false);
  });

  test('rejects with the reason if the server does not start', async () => {
    await expect(startRedis({ args: ['--no-such-setting', '1'], port: 1 })).rejects.toThrow(
      /redis-server ended before it was ready/,
    );
  });
});

test('a server ends with the process that started it, even after a SIGKILL', async () => {
  const script = `import(${JSON.stringify(path.join(__dirname, 'redis.ts'))})
    .then(({ startRedis }) => startRedis())
    .then((server) => console.log(server.pid), console.error);
    setInterval(() => {}, 1000);`;
  const tester = spawn(process.execPath, ['--import', 'tsx', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = (await once(tester.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    expect(isAlive(pid)).toBe(true);
    tester.kill('SIGKILL');
    await eventually(() => !isAlive(pid), { what: 'the end of the forgotten server' });
  } finally {
    tester.kill('SIGKILL');
  }
});

unlessImpossible(test, cannotShiftClocks())(
  'the clock of a Redis server steps, and keeps the shift after a restart',
  async () => {
    const server = await startRedis({ clockAheadMs: -3_600_000 });
    const redis = new Redis(server.url);
    redis.on('error', () => undefined);
    const readAheadMs = async (): Promise<number> => Number((await redis.time())[0]) * 1000 - Date.now();
    expect(Math.abs((await readAheadMs()) + 3_600_000)).toBeLessThan(60_000);
    server.setClock(4 * 86_400_000);
    expect(Math.abs((await readAheadMs()) - 4 * 86_400_000)).toBeLessThan(60_000);
    await server.restart();
    expect(await readAheadMs()).toBeGreaterThan(3 * 86_400_000);
    redis.disconnect();
    await server.stop();
  },
);
