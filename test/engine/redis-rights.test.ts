import { randomBytes } from 'node:crypto';
import { aCampaignEvent, acknowledge, anOpen, eventually, startReceiver, startRedis } from '@mailhook/testing';
import type { FakeReceiver, TestRedis } from '@mailhook/testing';
import { loadFunctions } from '@mailhook/delivery';
import { checkRedisRights, closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gatherFacts } from '../../scripts/preflight/facts.ts';
import { judge } from '../../scripts/preflight/findings.ts';
import { callJson, composeServices } from '../end-to-end/rig/composed-services.ts';

const SCRIPTS = 'packages/delivery/src/mailbox/lua';
const token = (): string => randomBytes(32).toString('hex');

describe('a Redis user with the rights of docs/deployment.md', () => {
  let server: TestRedis;
  let admin: Redis;
  let receiver: FakeReceiver;
  const tokens = { adminToken: token(), producerToken: token() };
  const env = {
    QUEUE_PREFIX: 'mailhook',
    ALLOW_PRIVATE_DESTINATIONS: 'true',
    RETRY_SCHEDULE: '50ms',
    RETRY_JITTER: '0',
    BREAKER_FAILURES: '2',
  };
  const url = (): string => server.url.replace('redis://', 'redis://mailhook:secret@');

  /** Gives the user the rights of the documentation, and those of `more`. */
  const give = async (...more: string[]): Promise<void> => {
    const lines = readFileSync('docs/deployment.md', 'utf8').matchAll(/^ACL SETUSER (mailhook .*)$/gm);
    for (const [, line = ''] of lines)
      await admin.call('ACL', 'SETUSER', ...line.replace('>password', '>secret').split(' '));
    await admin.call('ACL', 'SETUSER', 'mailhook', ...more);
  };

  beforeAll(async () => {
    server = await startRedis({ appendonly: true });
    admin = connectRedis({ url: server.url, role: 'worker', name: 'test', onError: () => undefined });
    await whenReady(admin, 5000);
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await receiver.close();
    await closeRedis(admin);
    await server.stop();
  });

  test.each([
    ['', [], ['config|get', 'slowlog|get']],
    [', with CONFIG GET as the preflight has it', ['+config|get'], ['slowlog|get']],
  ])(
    'suffice for the api and both workers, which deliver, park and redrive%s',
    async (_, more, refusedCommands) => {
      await give(...more);
      await admin.call('ACL', 'LOG', 'RESET');
      const services = await composeServices({ redisUrl: url(), ...tokens, env });
      const [opsUrl = ''] = services.opsUrls;
      const operate = (path: string, body: unknown) => callJson(opsUrl + path, tokens.adminToken, 'POST', body);
      try {
        const { id } = (await operate('/admin/accounts', { name: 'test' })) as { id: string };
        const made = (await operate(`/admin/accounts/${id}/tokens`, {})) as { token: string };
        const subscription = { address: `${receiver.url}/t`, type: 'open', module: 'transactional_email' };
        await callJson(`${services.baseUrl}/v3/webhook/subscriptions`, made.token, 'POST', subscription);
        await callJson(`${services.baseUrl}/v3/webhook/campaign`, made.token, 'PUT', { address: `${receiver.url}/c` });
        const send = (name: string) =>
          callJson(`${services.baseUrl}/v3/events`, tokens.producerToken, 'POST', [
            anOpen({ account: id, messageId: `<${name}@sender.example>`, id: name }),
            aCampaignEvent({ account: id, email: `${name}@example.com` }),
          ]);
        receiver.setReply(() => ({ status: 500 }));
        await send('refused');
        await eventually(async () => (await metric(opsUrl, 'mailhook_dead_letters')) >= 2, {
          withinMs: 60_000,
          what: 'two dead letters',
        });
        receiver.setReply(({ json }) => (Array.isArray(json) ? acknowledge(json) : { status: 200 }));
        const refused = receiver.requests.length;
        const texts = (): string =>
          receiver.requests
            .slice(refused)
            .map(({ text }) => text)
            .join('\n');
        const arrival = (name: string) =>
          eventually(() => texts().includes(`<${name}@`) && texts().includes(`${name}@ex`), {
            withinMs: 30_000,
            what: `both events of ${name}`,
          });

        await operate('/admin/dead-letters/redrive', { account: id });
        await arrival('refused');
        await send('accepted');
        await arrival('accepted');
        for (const path of ['/operations', '/admin/destinations', '/queues', '/metrics'])
          expect(
            (await fetch(opsUrl + path, { headers: { authorization: `Bearer ${tokens.adminToken}` } })).status,
          ).toBeLessThan(500);
        const targets = { opsUrls: services.opsUrls, publicUrl: services.baseUrl, redisUrl: url(), ...tokens };
        const findings = judge(await gatherFacts(targets));
        const unchecked = findings.filter(({ check, verdict }) => check.startsWith('Redis') && verdict === 'unknown');
        expect(unchecked.map(({ check }) => check)).toEqual([
          ...(more.length > 0
            ? []
            : [
                'Redis syncs its append-only file',
                'Redis syncs while it rewrites its file',
                'Redis makes no snapshots',
                'Redis compresses waiting events',
              ]),
          'Redis holds the ids of a day and four hours of standstill',
        ]);
      } finally {
        await services.close();
      }
      const log = (await admin.call('ACL', 'LOG')) as unknown[][];
      const refusedByRedis = log.map((entry) => entry[entry.indexOf('object') + 1]);
      // The overview, which the preflight reads, shows slow calls only where it may.
      expect([...new Set(refusedByRedis)].sort()).toEqual(refusedCommands);
      const keys = await admin.keys('*');
      expect(keys.filter((key) => !/^(mailhook:|\{mailhook:)/.test(key))).toEqual([]);
    },
    120_000,
  );

  test.each([
    [['-zadd'], /lacks rights: on mailhook:rights: ZADD; on \{mailhook:0\}:rights: ZADD\. docs\/deployment\.md/],
    [['-evalsha'], /no permissions to run the 'evalsha' command/],
    [['-eval'], /no permissions to run the 'eval' command/],
    [['-fcall'], /no permissions to run the 'fcall' command/],
    [['-function|list'], /no permissions to run the 'function\|list' command/],
    [['-bzpopmin'], /no permissions to run the 'bzpopmin' command/],
    [['resetkeys', '~mailhook:*'], /on \{mailhook:0\}:rights: NOPERM .*keys/],
    [['resetchannels', '&other:*'], /on mailhook:rights: PUBLISH/],
  ])('a right less (%j) ends the start with an error that names it', async (less, message) => {
    await give(...less);
    await expect(composeServices({ redisUrl: url(), ...tokens, env })).rejects.toThrow(message);
  });

  test('show no password, and end, empty or reconfigure nothing', async () => {
    await give();
    const user = connectRedis({ url: url(), role: 'worker', name: 'test', onError: () => undefined });
    try {
      for (const command of [
        ['CONFIG', 'GET', 'requirepass'],
        ['CONFIG', 'GET', 'masterauth'],
        ['CONFIG', 'SET', 'requirepass', ''],
        ['ACL', 'LIST'],
        ['ACL', 'SETUSER', 'mailhook', '+@all'],
        ['FLUSHALL'],
        ['MONITOR'],
        ['SHUTDOWN'],
        ['CLIENT', 'LIST'],
        ['SCRIPT', 'FLUSH'],
        ['GET', 'others:key'],
      ])
        await expect(user.call(...(command as [string]))).rejects.toThrow(/^NOPERM/);
    } finally {
      await closeRedis(user);
    }
  });

  test.each([
    ['the line of the documentation without INFO', ['-info']],
    ['+@all -@dangerous -@admin', ['+@all', '-@dangerous', '-@admin']],
  ])('without INFO end the start with its name: %s', async (_what, more) => {
    await give(...more);
    await expect(composeServices({ redisUrl: url(), ...tokens, env })).rejects.toThrow(/lacks rights: .*'info'/);
  });

  test('need no right to rewrite the append-only file: without it a start logs a warning', async () => {
    await give('-bgrewriteaof');
    await admin.config('RESETSTAT');
    const services = await composeServices({ redisUrl: url(), ...tokens, env });
    await services.close();
    expect(await admin.info('persistence')).toContain('aof_rewrites:0');
    await give();
    await (await composeServices({ redisUrl: url(), ...tokens, env })).close();
    expect(await admin.info('persistence')).not.toContain('aof_rewrites:0');
  });

  test('need no right to load functions, if an operator loads them', async () => {
    await admin.function('FLUSH');
    await give('-function|load', '-function|delete');
    await expect(composeServices({ redisUrl: url(), ...tokens, env })).rejects.toThrow(/npx mailhook functions/);
    await loadFunctions(admin, env.QUEUE_PREFIX);
    const services = await composeServices({ redisUrl: url(), ...tokens, env });
    await services.close();
    const [library = []] = (await admin.function('LIST', 'WITHCODE')) as string[][];
    const text = library[library.indexOf('library_code') + 1] ?? '';
    await admin.function('LOAD', 'REPLACE', `${text}\n-- changed`);
    await expect(composeServices({ redisUrl: url(), ...tokens, env })).rejects.toThrow(/Somebody has replaced/);
  });

  test('are checked at the start for every command of the scripts', async () => {
    const files = readdirSync(SCRIPTS, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.lua'));
    const texts = files.map((file) => readFileSync(path.join(SCRIPTS, file), 'utf8'));
    const calls = texts.flatMap((text) => [...text.matchAll(/(?:redis\.p?)?call\('([A-Z]+)'/g)]);
    const commands = [...new Set(calls.map(([, command = '']) => command))];
    expect(commands.length).toBeGreaterThan(20);
    await give(...commands.map((command) => `-${command.toLowerCase()}`));
    const user = connectRedis({ url: url(), role: 'worker', name: 'test', onError: () => undefined });
    try {
      const message = await checkRedisRights(user, 'mailhook').then(String, String);
      expect(commands.filter((command) => !new RegExp(`\\b${command}\\b`).test(message))).toEqual([]);
    } finally {
      await closeRedis(user);
    }
  });
});

async function metric(opsUrl: string, name: string): Promise<number> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  return [...text.matchAll(new RegExp(`^${name}\\{.*\\} (\\d+)$`, 'gm'))].reduce((sum, [, n]) => sum + Number(n), 0);
}
