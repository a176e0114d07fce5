import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { Redis } from 'ioredis';
import { eventually } from './eventually.ts';
import { cannotLosePower } from './power-loss.ts';
import { startRedis } from './redis.ts';
import type { RedisOptions, TestRedis } from './redis.ts';
import { incrementalFile, runScript, runsTornHalf } from './torn-block.ts';
import { unlessImpossible } from './unless-impossible.ts';

const open: { disconnect(): void; stop(): Promise<void> }[] = [];

async function start(options: RedisOptions): Promise<{ server: TestRedis; redis: Redis }> {
  const server = await startRedis({ appendonly: true, appendfsync: 'always', ...options });
  const redis = new Redis(server.url, { maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  open.push({ disconnect: () => redis.disconnect(), stop: () => server.stop() });
  return { server, redis };
}

async function rewrite(redis: Redis): Promise<void> {
  await redis.bgrewriteaof();
  const isDone = async (): Promise<boolean> => {
    const info = await redis.info('persistence');
    return info.includes('aof_rewrite_in_progress:0') && !info.includes('aof_rewrites:0');
  };
  await eventually(isDone, { withinMs: 30_000, what: 'a rewrite of the append-only file' });
}

afterEach(async () => {
  for (const one of open.splice(0)) {
    one.disconnect();
    await one.stop();
  }
});

unlessImpossible(describe, cannotLosePower())('the machine of a Redis loses power', () => {
  const LOST = { variant: 'synced', names: 'strict', random: () => 0 } as const;

  test('what was answered is there, and what was not synced is gone', async () => {
    const { server, redis } = await start({ canLosePower: true });
    await redis.set('answered', 'yes');
    await rewrite(redis);
    await redis.set('answered later', 'yes');
    const stalled = server.disk?.stall();
    let isAnswered = false;
    void redis.set('waits', 'yes').then(
      () => (isAnswered = true),
      () => undefined,
    );
    await stalled;
    const lost = await server.losePower(LOST);
    expect(isAnswered).toBe(false);
    redis.disconnect();
    expect(lost).toMatchObject({ bytesKept: 0, isInRewrite: false });
    expect(lost.bytesUnsynced).toBeGreaterThan(10);
    await server.restart();
    const again = new Redis(server.url);
    expect(await again.mget('answered', 'answered later', 'waits')).toEqual(['yes', 'yes', null]);
    again.disconnect();
  });

  test('a rewrite that does not end leaves the files from before', async () => {
    // The rewriting process takes a second for the key, so its sync waits.
    const { server, redis } = await start({ canLosePower: true, args: ['--rdb-key-save-delay', '1000000'] });
    await redis.set('answered', 'yes');
    await redis.bgrewriteaof();
    await server.disk?.stall();
    expect(await server.losePower(LOST)).toMatchObject({ isInRewrite: true });
    await server.restart();
    expect(await redis.get('answered')).toBe('yes');
  });

  test('zeros at the end of the file: Redis does not start before the repair', async () => {
    const { server, redis } = await start({ canLosePower: true });
    await redis.set('answered', 'yes');
    const stalled = server.disk?.stall();
    void redis.set('waits', 'yes').catch(() => undefined);
    await stalled;
    redis.disconnect();
    await server.losePower({ ...LOST, variant: 'zeros' });
    await expect(server.restart()).rejects.toThrow('Bad file format');
    server.disk?.repair();
    await server.restart();
    const again = new Redis(server.url);
    expect(await again.mget('answered', 'waits')).toEqual(['yes', null]);
    again.disconnect();
  });
});

describe('the block of a script is torn, and Redis restarts twice', () => {
  test('the second start runs its first half', async () => {
    let about = '';
    const hasRun = await runsTornHalf(async (redis) => {
      about = await redis.info('server');
      await runScript(redis);
    });
    // Valkey has no such fault since August 2026.
    if (!about.includes('server_name:valkey')) expect(hasRun).toBe(true);
  });

  test('it does not after a rewrite between the restarts', async () => {
    expect(await runsTornHalf((redis) => rewrite(redis).then(() => runScript(redis)))).toBe(false);
  });
});

// With everysec, Redis 7.0 names the next file of a rewrite before the file before it is synced.
test('a torn file before the last one: Redis refuses it once, and then starts with a gap', async () => {
  const { server, redis } = await start({});
  await redis.set('a', '1');
  await server.kill();
  appendFileSync(incrementalFile(server.dir), '*3\r\n$3\r\nSET\r\n$6\r\nbefore');
  const folder = path.join(server.dir, 'appendonlydir');
  appendFileSync(path.join(folder, 'next.aof'), '*3\r\n$3\r\nSET\r\n$5\r\nafter\r\n$1\r\n1\r\n');
  appendFileSync(path.join(folder, 'appendonly.aof.manifest'), 'file next.aof seq 2 type i\n');
  await expect(server.restart()).rejects.toThrow('the truncated file is not the last file');
  await server.restart();
  expect(await redis.mget('a', 'before', 'after')).toEqual(['1', null, '1']);
});
