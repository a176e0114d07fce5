import { execFile } from 'node:child_process';
import { appendFileSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { startRedis } from '@mailhook/testing';
import type { TestRedis } from '@mailhook/testing';
import { closeRedis, connectRedis, whenReady } from './connect.ts';

const run = promisify(execFile);
const ZEROS = 300;
/** The whole commands of a function that was cut off in its next command. */
const HALF = '*1\r\n$5\r\nMULTI\r\n*3\r\n$5\r\nRPUSH\r\n$4\r\nlist\r\n$1\r\nx\r\n';

const [, section = ''] = readFileSync('docs/runbook.md', 'utf8').split(
  '\n## Redis does not start after a power loss\n',
);
const [splice = ''] = /^ *head -c .*$/m.exec(section) ?? [];

const fileOf = ({ dir }: TestRedis): string => path.join(dir, 'appendonlydir/appendonly.aof.1.incr.aof');

/** What `redis-check-aof` reports of the last file. */
async function check(
  server: TestRedis,
  ...args: string[]
): Promise<{ readonly okUpTo: number; readonly diff: number }> {
  const tool = run('redis-check-aof', [...args, 'appendonlydir/appendonly.aof.manifest'], { cwd: server.dir });
  tool.child.stdin?.end('y\n');
  // It ends with 1 for a file that needs a repair.
  const { stdout } = await tool.catch((error: unknown) => error as { stdout: string });
  const [, okUpTo, diff] = [...stdout.matchAll(/AOF analyzed: .* ok_up_to=(\d+),.* diff=(\d+)/g)].at(-1) ?? [];
  return { okUpTo: Number(okUpTo), diff: Number(diff) };
}

describe('the repair of the runbook, after a power loss that left zeros at the end of the file', () => {
  let server: TestRedis;
  const write = async (key: string): Promise<void> => {
    const redis = connectRedis({ url: server.url, role: 'worker', name: 'test', onError: () => undefined });
    await whenReady(redis, 5000);
    await redis.set(key, '1');
    await closeRedis(redis);
  };
  const read = async (...keys: string[]): Promise<unknown> =>
    (await run('redis-cli', ['-p', String(server.port), 'EXISTS', ...keys])).stdout.trim();
  const loseThePower = async (tail: string): Promise<void> => {
    await server.kill();
    appendFileSync(fileOf(server), tail);
  };
  beforeEach(async () => {
    server = await startRedis({ appendonly: true, appendfsync: 'always' });
  });
  afterEach(() => server.stop());

  test('cuts the zeros and nothing else', async () => {
    await write('a');
    await loseThePower('\0'.repeat(ZEROS));
    await expect(server.restart()).rejects.toThrow('Bad file format');
    expect((await check(server)).diff).toBe(ZEROS);
    await check(server, '--fix');
    await server.restart();
    expect(await read('a')).toBe('1');
  });

  test('takes half of a script out, where --fix would cut all writes since', async () => {
    await write('a');
    await loseThePower(`${HALF}*4\r\n$4\r\nHSE`);
    const torn = statSync(fileOf(server)).size;
    await server.restart();
    const offset = statSync(fileOf(server)).size;
    expect(torn - offset).toBe('*4\r\n$4\r\nHSE'.length);
    for (const key of ['b', 'c']) await write(key);
    await loseThePower('\0'.repeat(ZEROS));
    await expect(server.restart()).rejects.toThrow('Bad file format');
    const { okUpTo, diff } = await check(server);
    expect([offset - okUpTo, diff > ZEROS + HALF.length]).toEqual([HALF.length, true]);
    const command = splice
      .replaceAll('OK_UP_TO', String(okUpTo))
      .replace('$((N + 1))', String(offset + 1))
      .replaceAll('FILE', fileOf(server));
    await run('sh', ['-c', command]);
    expect((await check(server)).diff).toBe(ZEROS);
    await check(server, '--fix');
    await server.restart();
    expect(await read('a', 'b', 'c', 'list')).toBe('3');
  });
});
