import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { randomBytes } from 'node:crypto';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import { eventually, freePort, startRedis } from '@mailhook/testing';
import { gatherFacts } from '../../scripts/preflight/facts.ts';
import type { Finding, Verdict } from '../../scripts/preflight/finding.ts';
import { judge } from '../../scripts/preflight/findings.ts';
import { composeServices } from './rig/composed-services.ts';

const goodToken = (): string => randomBytes(32).toString('hex');
const checksOf = (findings: readonly Finding[], wanted: Verdict): string[] =>
  findings.filter(({ verdict }) => verdict === wanted).map(({ check }) => check);
/** Removes the ports, which differ between runs. */
const withoutPorts = (checks: readonly string[]): string[] => checks.map((check) => check.replace(/:\d+/g, ''));

test('a good installation passes, except for the parts that a test cannot have', async () => {
  const redis = await startRedis({
    appendonly: true,
    args: ['--maxmemory', '500mb', '--maxmemory-policy', 'noeviction'],
  });
  const tokens = { adminToken: goodToken(), producerToken: goodToken() };
  const logFolder = mkdtempSync(path.join(tmpdir(), 'event-log-'));
  const env = { SECRETS_KEY: randomBytes(32).toString('base64'), EVENT_LOG: logFolder };
  const services = await composeServices({ redisUrl: redis.url, ...tokens, env });
  try {
    const targets = { opsUrls: services.opsUrls, publicUrl: services.baseUrl, redisUrl: redis.url, ...tokens };
    const findings = judge(await gatherFacts(targets));
    expect(checksOf(findings, 'fail')).toEqual([
      'the public API is behind TLS',
      'PUBLIC_URL is where customers reach it',
    ]);
    expect(checksOf(findings, 'unknown')).toEqual([]);
    expect(checksOf(findings, 'warn')).toEqual([
      'transactional workers are at work',
      'campaign workers are at work',
      'Redis has a replica',
      'accounts and subscriptions can be read',
    ]);
    expect(withoutPorts(checksOf(findings, 'pass'))).toContain('http://127.0.0.1 cannot be led inside');
    expect(checksOf(findings, 'pass')).toContain('stored secrets are encrypted');
    expect(findings.find(({ check }) => check.includes('event log'))).toMatchObject({
      verdict: 'pass',
      found: expect.stringMatching(/GiB free$/) as string,
    });
    expect(checksOf(findings, 'pass').length).toBeGreaterThanOrEqual(16);
  } finally {
    await services.close();
    await redis.stop();
    rmSync(logFolder, { recursive: true, force: true });
  }
});

test('every fault of a bad installation is found, with its fix', async () => {
  const redis = await startRedis({ args: ['--maxmemory-policy', 'allkeys-lru', '--appendfsync', 'no'] });
  const [adminToken, producerToken] = ['1234567890'.repeat(3), goodToken()];
  const env = { ALLOW_PRIVATE_DESTINATIONS: 'true' };
  const services = await composeServices({
    redisUrl: redis.url,
    hasBatcher: false,
    env,
    adminToken,
    producerToken,
  });
  const [opsUrl = ''] = services.opsUrls;
  try {
    const refused = await fetch(`${services.baseUrl}/v3/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${producerToken}`, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(refused.status).toBe(422);
    const isReported = async (): Promise<boolean> => {
      const reply = await fetch(`${opsUrl}/admin/overview`, { headers: { authorization: `Bearer ${adminToken}` } });
      return (await reply.text()).includes('was refused within the last hour');
    };
    await eventually(isReported, { what: 'the refused request on the overview' });
    // The operations port takes the place of the public port.
    const targets = { opsUrls: [opsUrl], publicUrl: opsUrl, redisUrl: redis.url };
    // No service starts with such a producer token.
    const findings = judge(await gatherFacts({ ...targets, adminToken, producerToken: 'secret'.repeat(4) }));
    expect(withoutPorts(checksOf(findings, 'fail'))).toEqual([
      'campaign workers are at work',
      'Redis never evicts',
      'Redis writes an append-only file',
      'Redis syncs its append-only file',
      'Redis has a limit',
      'no token is one that anybody would try',
      'the producer token is long',
      'http://127.0.0.1 cannot be led inside',
      'the public API wants a token',
      'the public API is behind TLS',
      'PUBLIC_URL is where customers reach it',
      'the operations port is not public',
    ]);
    expect(findings.filter(({ verdict, fix }) => verdict === 'fail' && fix === undefined)).toEqual([]);
    expect(findings.find(({ check }) => check === 'stored secrets are encrypted')).toMatchObject({
      verdict: 'warn',
      found: 'SECRETS_KEY none',
    });
    expect(findings.find(({ check }) => check.startsWith('the api reports'))).toMatchObject({
      verdict: 'warn',
      found: expect.stringMatching(/^1 request of the producer .+ was refused within the last hour/) as string,
      fix: 'see refused-requests-of-producers in docs/runbook.md',
    });
    expect(findings.find(({ check }) => check.startsWith('no token'))?.found).toBe(`known: ${adminToken}`);
    expect(findings.find(({ check }) => check === 'the operations port is not public')?.found).toContain('/metrics');
  } finally {
    await services.close();
    await redis.stop();
  }
});

test('a Redis with save points is a warning that names the fix', async () => {
  const redis = await startRedis({ appendonly: true, args: ['--save', '3600 1'] });
  const tokens = { adminToken: goodToken(), producerToken: goodToken() };
  const services = await composeServices({ redisUrl: redis.url, ...tokens });
  try {
    const targets = { opsUrls: services.opsUrls, publicUrl: services.baseUrl, redisUrl: redis.url, ...tokens };
    const findings = judge(await gatherFacts(targets));
    expect(findings.find(({ check }) => check === 'Redis makes no snapshots')).toMatchObject({
      verdict: 'warn',
      found: 'save 3600 1',
      fix: "CONFIG SET save '', and in its file",
    });
  } finally {
    await services.close();
    await redis.stop();
  }
});

test('a file not rewritten since the start of Redis is a warning, and a failed rewrite a failure', async () => {
  const server = await startRedis({ appendonly: true, args: ['--rdb-key-save-delay', '30000000'] });
  const redis = connectRedis({ url: server.url, role: 'fail-fast', name: 'test', onError: () => undefined });
  try {
    const nobody = `http://127.0.0.1:${await freePort()}`;
    const targets = { opsUrls: [nobody], publicUrl: nobody, redisUrl: server.url };
    const found = async () => {
      const findings = judge(await gatherFacts({ ...targets, adminToken: undefined, producerToken: undefined }));
      return findings.find(({ check }) => check === 'Redis has rewritten its file since its start');
    };
    expect(await found()).toMatchObject({
      verdict: 'warn',
      fix: expect.stringContaining('BGREWRITEAOF') as string,
    });
    await whenReady(redis, 5000);
    await redis.mset('a', '1', 'b', '2');
    await redis.bgrewriteaof();
    process.kill(Number(await readFile(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8')), 'SIGKILL');
    const isOver = async () => (await redis.info('persistence')).includes('aof_rewrite_in_progress:0');
    await eventually(isOver, { what: 'the end of the rewrite' });
    expect(await found()).toMatchObject({ verdict: 'fail', found: 'the last rewrite failed' });
  } finally {
    await closeRedis(redis);
    await server.stop();
  }
});

test.each([
  ['--list-compress-depth 0', 'warn', 'list-compress-depth 0'],
  ['--list-compress-depth 1', 'pass', 'list-compress-depth 1'],
  ['--user default on nopass ~* &* +@all -config', 'unknown', 'Redis does not show it'],
])('a Redis with %s: compression is %s', async (setting, verdict, found) => {
  const redis = await startRedis({ appendonly: true, args: setting.split(' ') });
  try {
    const nobody = `http://127.0.0.1:${await freePort()}`;
    const targets = { opsUrls: [nobody], publicUrl: nobody, redisUrl: redis.url };
    const findings = judge(await gatherFacts({ ...targets, adminToken: undefined, producerToken: undefined }));
    expect(findings.find(({ check }) => check === 'Redis compresses waiting events')).toMatchObject({ verdict, found });
  } finally {
    await redis.stop();
  }
});

test('a Redis that does not answer is a failure, and leaves its settings unknown', async () => {
  const nobody = `http://127.0.0.1:${await freePort()}`;
  const targets = { opsUrls: [nobody], publicUrl: nobody, redisUrl: `redis://127.0.0.1:${await freePort()}` };
  const findings = judge(await gatherFacts({ ...targets, adminToken: undefined, producerToken: undefined }));
  expect(checksOf(findings, 'fail')).toContain('Redis answers');
  expect(findings.find(({ check }) => check === 'Redis makes no snapshots')).toMatchObject({
    verdict: 'unknown',
    found: 'Redis did not answer',
  });
});

describe('mailhook preflight', () => {
  const run = async (...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> => {
    const node = ['--conditions=@mailhook/source', '--import', 'tsx', 'scripts/mailhook.ts', 'preflight', ...args];
    try {
      const { stdout, stderr } = await promisify(execFile)(process.execPath, node);
      return { code: 0, stdout, stderr };
    } catch (error) {
      return error as { code: number; stdout: string; stderr: string };
    }
  };

  test('exits with 1 and prints JSON when nothing answers', async () => {
    const nobody = 'http://127.0.0.1:9';
    const { code, stdout } = await run('--ops-url', nobody, '--url', nobody, '--json');
    const { isFit, findings } = JSON.parse(stdout) as { isFit: boolean; findings: Finding[] };
    expect([code, isFit]).toEqual([1, false]);
    expect(checksOf(findings, 'fail')).toEqual([`${nobody} is ready`, 'the public API answers']);
    expect(checksOf(findings, 'unknown')).toContain('no token is one that anybody would try');
  });

  test.each([
    [[], "required option '--ops-url <url>' not specified"],
    [['--url', 'mailhook'], "argument 'mailhook' is invalid. It must be an absolute http(s) URL."],
  ])('names the fault of %j', async (args, message) => {
    const { code, stderr } = await run(...args);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });
});
