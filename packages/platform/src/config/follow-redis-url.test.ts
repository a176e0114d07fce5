import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';
import { Queue, Worker } from 'bullmq';
import { eventually, startRedis, startRedisCluster, startSentinel, SENTINEL_PASSWORD } from '@mailhook/testing';
import { createLogger } from '../logger/index.ts';
import type { Redis } from '../redis/index.ts';
import { closeRedis, connectRedis, duplicateRedis, subscribe, whenReady } from '../redis/index.ts';
import type { RedisUrl } from './follow-redis-url.ts';
import { followRedisUrl, redisUrlReader } from './follow-redis-url.ts';

const run = promisify(execFile);
const [OLD, NEW] = ['old/secret', 'new@secret'];
const WITHIN = { withinMs: 20_000 };

/** Runs a command in a Redis that may want a password. */
const command = (port: number, password: string, ...words: string[]) =>
  run('redis-cli', ['-p', String(port), '--no-auth-warning', '-a', password, ...words]);

async function changePassword(ports: readonly number[]): Promise<void> {
  for (const port of ports) {
    await command(port, OLD, 'CONFIG', 'SET', 'masterauth', NEW);
    await command(port, OLD, 'CONFIG', 'SET', 'requirepass', NEW);
    for (const type of ['normal', 'pubsub']) await command(port, NEW, 'CLIENT', 'KILL', 'TYPE', type);
  }
}

let file: string;
let log: string;
let address: RedisUrl;
let clients: Redis[];
const cleanups: (() => unknown)[] = [];

beforeEach(() => {
  const folder = mkdtempSync(path.join(tmpdir(), 'mailhook-redis-url-'));
  file = path.join(folder, 'url');
  log = '';
  clients = [];
  cleanups.push(() => rmSync(folder, { recursive: true }));
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const write = (url: string): void => writeFileSync(file, `${url}\n`);
const logged = (text: string) => eventually(() => log.includes(text), { ...WITHIN, what: text });
const count = (text: string): number => log.split(text).length - 1;

/** Opens the kinds of connections that services have. */
async function open(env: NodeJS.ProcessEnv): Promise<void> {
  const stream = new PassThrough();
  stream.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const redisUrl = redisUrlReader(env);
  const logger = createLogger({ level: 'info', service: 'test', pretty: false, stream });
  address = followRedisUrl({ REDIS_URL: env['REDIS_URL'] ?? redisUrl?.() ?? '', readAgain: { redisUrl } }, logger);
  cleanups.push(() => address.close());
  const options = { url: address.now, onError: address.onError };
  const redis = connectRedis({ ...options, role: 'fail-fast', name: 'test' });
  const jobs = connectRedis({ ...options, role: 'worker', name: 'test-jobs' });
  clients = [redis, jobs, duplicateRedis(duplicateRedis(jobs).on('error', address.onError))];
  clients[2]?.on('error', address.onError);
  cleanups.push(() => Promise.all(clients.map(closeRedis)));
  await Promise.all(clients.map((client) => whenReady(client, 10_000)));
}

const areReady = async (): Promise<void> => {
  for (const client of clients) {
    await eventually(async () => (await client.ping().catch(() => '')) === 'PONG', { ...WITHIN, what: 'a reply' });
  }
};

describe('a new password in the file of REDIS_URL', () => {
  test.each(['before', 'after'])(
    'is used when it is written %s Redis refuses the old one',
    async (when) => {
      const server = await startRedis({ args: ['--requirepass', OLD] });
      cleanups.push(() => server.stop());
      const url = (password: string) => `redis://:${encodeURIComponent(password)}@127.0.0.1:${server.port}/1`;
      write(url(OLD));
      await open({ REDIS_URL_FILE: file });
      const [redis, jobs, third] = clients as [Redis, Redis, Redis];
      const heard: string[] = [];
      const subscription = await subscribe({ client: third, channel: 'news', onMessage: (text) => heard.push(text) });
      cleanups.push(() => subscription.close());
      const done: string[] = [];
      const worker = new Worker('jobs', (job) => Promise.resolve(done.push(job.name)), { connection: jobs });
      worker.on('error', address.onError);
      const queue = new Queue('jobs', { connection: redis });
      queue.on('error', address.onError);
      cleanups.push(() => Promise.all([worker.close(true), queue.close()]));
      await queue.add('first', {});
      await eventually(() => done.includes('first'), { ...WITHIN, what: 'the first job' });

      if (when === 'before') {
        write(url(NEW));
        await logged('a changed file is in use');
      }
      await changePassword([server.port]);
      if (when === 'after') {
        await logged('Redis refuses the user or password in REDIS_URL');
        expect(log).toContain('write the new ones into the file that REDIS_URL_FILE names');
        write(url(NEW));
      }
      await areReady();
      await queue.add('second', {});
      await eventually(() => done.includes('second'), { ...WITHIN, what: 'the job after the change' });
      await eventually(async () => (await redis.publish('news', 'hello')) > 0 && heard.length > 0, {
        ...WITHIN,
        what: 'a message',
      });
      expect(count('a changed file is in use')).toBe(1);
      if (when === 'before') expect(log).not.toContain('Redis refuses');
      expect(log).not.toContain(encodeURIComponent(NEW));
    },
    60_000,
  );

  test('is used in a cluster', async () => {
    const cluster = await startRedisCluster();
    cleanups.push(() => cluster.stop());
    const ports = cluster.nodes.map(({ port }) => port);
    for (const port of ports) await run('redis-cli', ['-p', String(port), 'CONFIG', 'SET', 'requirepass', OLD]);
    const url = (password: string) => cluster.url.replace('//', `//:${encodeURIComponent(password)}@`);
    write(url(OLD));
    await open({ REDIS_URL_FILE: file });
    const { pid } = process;
    for (const client of clients) await client.set(`before:${pid}`, 1);
    await changePassword(ports);
    write(url(NEW));
    await areReady();
    for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) {
      for (const client of clients) {
        await eventually(async () => (await client.set(key, 1).catch(() => '')) === 'OK', {
          ...WITHIN,
          what: 'a write',
        });
      }
    }
  }, 120_000);

  test('is used behind a sentinel, whose own password changes too', async () => {
    const master = await startRedis({ args: ['--requirepass', OLD] });
    const sentinel = await startSentinel({ masterPort: master.port, name: 'm', quorum: 1, downAfterMs: 60_000 });
    cleanups.push(() => Promise.all([master.stop(), sentinel.stop()]));
    const url = (password: string, own: string) =>
      `redis-sentinel://:${encodeURIComponent(password)}@127.0.0.1:${sentinel.port}/m/1?sentinelPassword=${encodeURIComponent(own)}`;
    write(url(OLD, SENTINEL_PASSWORD));
    await open({ REDIS_URL_FILE: file });
    await sentinel.command('ACL', 'SETUSER', 'default', `>${NEW}`, `<${SENTINEL_PASSWORD}`);
    await changePassword([master.port]);
    await logged('WRONGPASS');
    write(url(NEW, NEW));
    await areReady();
  }, 60_000);
});

test('without a file, one line names the variable and the fix, and the connection goes on trying', async () => {
  const server = await startRedis({ args: ['--requirepass', OLD] });
  cleanups.push(() => server.stop());
  await open({ REDIS_URL: `redis://:${encodeURIComponent(OLD)}@127.0.0.1:${server.port}` });
  await changePassword([server.port]);
  await logged('Redis refuses the user or password in REDIS_URL');
  expect(log).toContain('restart the service with the new REDIS_URL');
  await command(server.port, NEW, 'CONFIG', 'SET', 'requirepass', OLD);
  await areReady();
}, 60_000);

test.each([
  ['another host', (port: number) => `redis://:x@localhost:${port}`],
  ['another database', (port: number) => `redis://:x@127.0.0.1:${port}/2`],
  ['sentinels', (port: number) => `redis-sentinel://:x@127.0.0.1:${port}/m`],
])(
  'a file with %s is not used before a restart',
  async (_, other) => {
    const server = await startRedis({ args: ['--requirepass', OLD] });
    cleanups.push(() => server.stop());
    const url = `redis://:${encodeURIComponent(OLD)}@127.0.0.1:${server.port}`;
    write(url);
    await open({ REDIS_URL_FILE: file });
    write(other(server.port));
    await logged('REDIS_URL_FILE names another Redis or database: restart the service');
    expect(address.now()).toBe(url);
    await areReady();
  },
  60_000,
);

test('a file with a user is used, and so is one without a password', async () => {
  const server = await startRedis();
  cleanups.push(() => server.stop());
  await run('redis-cli', ['-p', String(server.port), 'ACL', 'SETUSER', 'mailhook', 'on', '>pass', 'allkeys', '+@all']);
  write(`redis://127.0.0.1:${server.port}`);
  await open({ REDIS_URL_FILE: file });
  const kill = async () => {
    await run('redis-cli', ['-p', String(server.port), 'CLIENT', 'KILL', 'TYPE', 'normal']);
    await areReady();
    return Promise.all(clients.map((client) => client.call('ACL', 'WHOAMI')));
  };
  write(`redis://mailhook:pass@127.0.0.1:${server.port}`);
  await logged('a changed file is in use');
  expect(await kill()).toEqual(['mailhook', 'mailhook', 'mailhook']);
  write(`redis://127.0.0.1:${server.port}`);
  await eventually(() => count('a changed file is in use') === 2, { ...WITHIN, what: 'the file before' });
  expect(await kill()).toEqual(['default', 'default', 'default']);
}, 60_000);
