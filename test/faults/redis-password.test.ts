import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { aCampaignEvent, eventually, freePort, startReceiver, startRedis } from '@mailhook/testing';
import type { LogLine, ServiceProcess } from '@mailhook/testing';
import { newCustomer } from '../end-to-end/rig/customer.ts';
import { startService } from './rig/service.ts';

const run = promisify(execFile);
const [OLD, NEW] = ['the-old-password', 'the-new-password'];
const TOKENS = { ADMIN_TOKEN: 'admin_of_the_tests'.padEnd(40, 'a'), PRODUCER_TOKEN: 'producer_'.padEnd(40, 'p') };

test('services take a new password of Redis without a restart, and accepted events arrive', async () => {
  const redis = await startRedis({ appendonly: true, args: ['--requirepass', OLD] });
  const receiver = await startReceiver({
    reply: ({ json }) => ({ json: (json as { hash: string }[]).map(({ hash }) => ({ hash, status: true })) }),
  });
  const folder = mkdtempSync(path.join(tmpdir(), 'mailhook-redis-password-'));
  const file = path.join(folder, 'url');
  const write = (password: string): void => writeFileSync(file, `redis://:${password}@127.0.0.1:${redis.port}\n`);
  write(OLD);
  const [port, opsPort, workerPort] = [await freePort(), await freePort(), await freePort()];
  const env = { HOST: '127.0.0.1', ALLOW_PRIVATE_DESTINATIONS: 'true', REDIS_URL_FILE: file, REDIS_URL: '' };
  const lines: LogLine[] = [];
  const ended: string[] = [];
  const more = { onLine: (line: LogLine) => lines.push(line), onEndedItself: (why: string) => ended.push(why) };
  const services: ServiceProcess[] = [];
  try {
    services.push(await startService('api', { ...env, ...TOKENS, PORT: `${port}`, OPS_PORT: `${opsPort}` }, more));
    services.push(await startService('campaign-batcher', { ...env, OPS_PORT: `${workerPort}` }, more));
    const places = { baseUrl: `http://127.0.0.1:${port}`, opsUrl: `http://127.0.0.1:${opsPort}` };
    const customer = await newCustomer({
      ...places,
      adminToken: TOKENS.ADMIN_TOKEN,
      producerToken: TOKENS.PRODUCER_TOKEN,
    });
    await customer.setCampaign(receiver.url);
    const deliver = async (): Promise<void> => {
      const before = receiver.requests.length;
      await customer.send([aCampaignEvent({ account: customer.account })]);
      await eventually(() => receiver.requests.length > before, { withinMs: 20_000, what: 'an event' });
    };
    const areReady = () =>
      eventually(
        async () => {
          const replies = await Promise.all(
            [opsPort, workerPort].map((one) => fetch(`http://127.0.0.1:${one}/readyz`)),
          );
          return replies.every(({ ok }) => ok);
        },
        { withinMs: 60_000, what: 'services that are ready' },
      );
    await deliver();

    const cli = (password: string, ...words: string[]) =>
      run('redis-cli', ['-p', `${redis.port}`, '--no-auth-warning', '-a', password, ...words]);
    await cli(OLD, 'CONFIG', 'SET', 'requirepass', NEW);
    for (const type of ['normal', 'pubsub']) await cli(NEW, 'CLIENT', 'KILL', 'TYPE', type);
    const refusals = () => lines.filter(({ message }) => message === 'Redis refuses the user or password in REDIS_URL');
    await eventually(() => new Set(refusals().map(({ service }) => service)).size === 2, {
      withinMs: 20_000,
      what: 'a line of each service',
    });
    write(NEW);
    await areReady();
    await deliver();
    expect(lines.filter(({ message }) => message === 'a changed file is in use')).toHaveLength(2);
    expect(ended).toEqual([]);
  } finally {
    await Promise.all(services.map((service) => service.stop()));
    await Promise.all([redis.stop(), receiver.close()]);
    rmSync(folder, { recursive: true });
  }
}, 180_000);
