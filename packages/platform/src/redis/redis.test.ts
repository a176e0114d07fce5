import { randomBytes } from 'node:crypto';
import type { Redis } from './connect.ts';
import type { TestRedis } from '@mailhook/testing';
import { eventually, freePort, startRedis, uniqueName } from '@mailhook/testing';
import { closeRedis, connectRedis, duplicateRedis, whenReady } from './connect.ts';
import { isMemoryNearlyFull } from './memory.ts';
import { checkRedisSettings } from './settings.ts';

const opened: Redis[] = [];
const connect = (url: string, role: 'fail-fast' | 'worker', errors: Error[] = []): Redis => {
  const redis = connectRedis({ url, role, name: 'test', onError: (error) => errors.push(error) });
  opened.push(redis);
  return redis;
};

describe('with a separate Redis', () => {
  let server: TestRedis;
  beforeAll(async () => {
    server = await startRedis({ appendonly: true });
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(closeRedis));
  });
  afterAll(() => server.stop());

  test('a fail-fast client rejects at once while Redis is away, and works again when it is back', async () => {
    const errors: Error[] = [];
    const redis = connect(server.url, 'fail-fast', errors);
    await whenReady(redis, 5000);
    const key = uniqueName();
    await redis.set(key, '1');
    await server.kill();
    await eventually(() => redis.status !== 'ready', { what: 'the loss of Redis to be seen' });
    // If the client waited, the error would be `Command timed out`.
    await expect(redis.get(key)).rejects.toThrow("Stream isn't writeable");
    await eventually(() => errors.length > 0, { what: 'a refused connection to be reported' });
    await server.restart();
    await whenReady(redis, 5000);
    expect(await redis.get(key)).toBe('1');
  });

  test('a fail-fast client times out if Redis is connected but does not answer', async () => {
    const redis = connect(server.url, 'fail-fast');
    await whenReady(redis, 5000);
    process.kill(server.pid, 'SIGSTOP');
    try {
      await expect(redis.get('x')).rejects.toThrow('Command timed out');
    } finally {
      process.kill(server.pid, 'SIGCONT');
    }
  });

  test("a worker's commands wait for Redis to come back", async () => {
    const redis = connect(server.url, 'worker');
    await whenReady(redis, 5000);
    await server.kill();
    await eventually(() => redis.status !== 'ready', { what: 'the loss of Redis to be seen' });
    const waiting = redis.set(uniqueName(), '1');
    await server.restart();
    expect(await waiting).toBe('OK');
  });

  test('the check of settings reports a Redis that does not sync', async () => {
    const redis = connect(server.url, 'worker');
    expect(await checkRedisSettings(redis)).toEqual([]);
    await redis.config('SET', 'appendfsync', 'no');
    expect(await checkRedisSettings(redis)).toEqual([
      {
        severity: 'fault',
        about: 'settings',
        text: expect.stringMatching(/does not sync .* set appendfsync to everysec/) as string,
      },
    ]);
    await redis.config('SET', 'appendfsync', 'always');
    expect(await checkRedisSettings(redis)).toEqual([]);
    expect(await isMemoryNearlyFull(redis)).toBe(false);
  });

  test.each([
    ['always', 'fault'],
    ['everysec', 'risk'],
  ])('with appendfsync %s, a Redis that does not sync during a rewrite is a %s', async (appendfsync, severity) => {
    const redis = connect(server.url, 'worker');
    await redis.config('SET', 'appendfsync', appendfsync);
    await redis.config('SET', 'no-appendfsync-on-rewrite', 'yes');
    expect(await checkRedisSettings(redis)).toEqual([
      {
        severity,
        about: 'settings',
        text: expect.stringMatching(/since the rewrite began .*; set no-appendfsync-on-rewrite to no\.$/) as string,
      },
    ]);
    await redis.config('SET', 'no-appendfsync-on-rewrite', 'no');
    expect(await checkRedisSettings(redis)).toEqual([]);
  });

  test('the check of settings names what it cannot check without CONFIG or INFO, as on managed Redis', async () => {
    const redis = connect(server.url, 'worker');
    await redis.call('ACL', 'SETUSER', 'tenant', 'on', '>secret', '~*', '&*', '+@all', '-config');
    const tenant = connect(server.url.replace('redis://', 'redis://tenant:secret@'), 'worker');
    await expect(tenant.config('GET', 'save')).rejects.toThrow('NOPERM');
    expect(await checkRedisSettings(tenant)).toEqual([
      {
        severity: 'unchecked',
        about: 'settings',
        text: expect.stringContaining('does not show appendfsync') as string,
      },
      {
        severity: 'unchecked',
        about: 'settings',
        text: expect.stringContaining('does not show no-appendfsync-on-rewrite') as string,
      },
      {
        severity: 'unchecked',
        about: 'settings',
        text: expect.stringContaining("does not show save, so it cannot be checked: make sure that it is ''") as string,
      },
      {
        severity: 'unchecked',
        about: 'settings',
        text: expect.stringContaining('does not show list-compress-depth') as string,
      },
    ]);
    await redis.call('ACL', 'SETUSER', 'tenant', '-info');
    expect(await checkRedisSettings(tenant)).toEqual([
      { severity: 'unchecked', about: 'settings', text: expect.stringContaining('Redis forbids INFO') as string },
    ]);
    expect(await isMemoryNearlyFull(tenant)).toBe(false);
  });

  test('whenReady names the host that does not answer', async () => {
    const port = await freePort();
    const redis = connect(`redis://127.0.0.1:${port}`, 'fail-fast');
    await expect(whenReady(redis, 200)).rejects.toThrow(
      `Redis at 127.0.0.1:${port} did not answer within 200 ms (connect ECONNREFUSED 127.0.0.1:${port}); check ` +
        'REDIS_URL',
    );
    await closeRedis(redis);
  });
});

test('bad settings are reported with their fix', async () => {
  const server = await startRedis({ args: ['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'] });
  const redis = connect(server.url, 'worker');
  const check = async (): Promise<string[]> => (await checkRedisSettings(redis)).map(({ text }) => text);
  expect(await check()).toEqual([
    'Redis may evict accepted events: maxmemory-policy is allkeys-lru; set maxmemory-policy to noeviction.',
    'Redis keeps nothing on disk: accepted events are lost when it stops; set appendonly to yes.',
  ]);
  await redis.config('SET', 'save', '60 1');
  expect(await check()).toContainEqual(expect.stringContaining('has no append-only file'));
  expect(await check()).not.toContainEqual(expect.stringContaining('no-appendfsync-on-rewrite'));
  await redis.config('SET', 'list-compress-depth', '0');
  expect((await checkRedisSettings(redis)).at(-1)).toEqual({
    severity: 'risk',
    about: 'settings',
    text: expect.stringMatching(/three times the memory; set list-compress-depth to 1\.$/) as string,
  });
  await closeRedis(redis);
  await server.stop();
});

test('isMemoryNearlyFull sees when Redis nears its memory limit, and when it recovers', async () => {
  const server = await startRedis({ args: ['--maxmemory', '40mb'] });
  const redis = connect(server.url, 'worker');
  expect(await isMemoryNearlyFull(redis)).toBe(false);
  const key = uniqueName();
  for (let part = 0; part < 37; part += 1) await redis.rpush(key, randomBytes(1_040_000));
  await eventually(() => isMemoryNearlyFull(redis), { what: 'the memory limit to be seen' });
  await redis.del(key);
  await eventually(async () => !(await isMemoryNearlyFull(redis)), { what: 'the recovery to be seen' });
  await closeRedis(redis);
  await server.stop();
});

describe('a database that Redis does not have', () => {
  let server: TestRedis;
  beforeAll(async () => {
    server = await startRedis({ args: ['--databases', '8'] });
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(closeRedis));
  });
  afterAll(() => server.stop());

  test.each(['fail-fast', 'worker'] as const)('keeps a %s client and its duplicates from being ready', async (role) => {
    const redis = connect(`${server.url}/20`, role);
    const why = 'REDIS_URL names database 20, which cannot be used (ERR DB index is out of range)';
    await expect(whenReady(redis, 5000)).rejects.toThrow(why);
    const copy = duplicateRedis(redis);
    opened.push(copy);
    await expect(whenReady(copy, 5000)).rejects.toThrow('database 20, which cannot be used');
  });

  test('also after a restart of Redis with fewer databases, and nothing is written to database 0', async () => {
    const redis = connect(`${server.url}/7`, 'worker');
    const jobs = duplicateRedis(redis);
    opened.push(jobs);
    await Promise.all([whenReady(redis, 5000), whenReady(jobs, 5000)]);
    await server.stop();
    const replaced = await startRedis({ port: server.port, args: ['--databases', '4'] });
    try {
      const written = [redis, jobs].map((client) => client.set('written', '1'));
      const refused = [redis, jobs].map((client) => whenReady(client, 5000));
      for (const one of refused) await expect(one).rejects.toThrow('database 7, which cannot be used');
      const zero = connect(replaced.url, 'fail-fast');
      await whenReady(zero, 5000);
      expect(await zero.dbsize()).toBe(0);
      for (const one of written) one.catch(() => undefined);
    } finally {
      await replaced.stop();
    }
  });

  test('and a cluster, which has database 0 only, refuses the others', async () => {
    const cluster = await startRedis({ args: ['--cluster-enabled', 'yes'] });
    try {
      await expect(whenReady(connect(`${cluster.url}/1`, 'worker'), 5000)).rejects.toThrow('SELECT is not allowed');
    } finally {
      await cluster.stop();
    }
  });
});
