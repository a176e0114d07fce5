import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { eventually, startRedis } from '@mailhook/testing';
import { closeRedis, connectRedis, whenReady } from './connect.ts';
import { checkRedisSettings } from './settings.ts';

test('a Redis with save points refuses all writes after a failed snapshot, and the check names it before', async () => {
  const server = await startRedis({ appendonly: true, args: ['--save', '1 1', '--dbfilename', 'dump.rdb'] });
  const redis = connectRedis({ url: server.url, role: 'fail-fast', name: 'test', onError: () => undefined });
  const check = async () => (await checkRedisSettings(redis)).map(({ severity, text }) => [severity, text]);
  try {
    await whenReady(redis, 5000);
    const risk = ['risk', expect.stringMatching(/^Redis makes snapshots \(save 1 1\).*; set save to ''\.$/)];
    expect(await check()).toEqual([risk]);

    // A folder in the place of the file, because root may write to a read-only folder.
    await mkdir(path.join(server.dir, 'dump.rdb', 'full'), { recursive: true });
    let refusal = '';
    const isRefused = (): Promise<boolean> =>
      redis.incr('key').then(
        () => false,
        (error: unknown) => (refusal = String(error)) !== '',
      );
    await eventually(isRefused, { withinMs: 30_000, what: 'a refused write' });
    expect(refusal).toMatch(/MISCONF .*snapshots/);
    expect(await check()).toEqual([risk, ['fault', expect.stringContaining('cannot write to its disk')]]);

    await redis.config('SET', 'save', '');
    expect(await redis.incr('key')).toBeGreaterThan(0);
    expect(await check()).toEqual([]);
  } finally {
    await closeRedis(redis);
    await server.stop();
  }
}, 60_000);
