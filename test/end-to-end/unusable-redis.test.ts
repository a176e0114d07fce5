import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { OldRedis, ServiceName, TestRedis } from '@mailhook/testing';
import { freePort, startOldRedis, startRedis } from '@mailhook/testing';
import { bundle, mainOf } from '../../scripts/stack/bundles.ts';
import { startProcess } from './rig/started-stack.ts';

const SERVICES: readonly ServiceName[] = ['api', 'transactional-notifier', 'campaign-batcher'];
const TOKENS = { ADMIN_TOKEN: 'an-admin-token-of-this-test', PRODUCER_TOKEN: 'the-producer-token-of-a-test' };

let redis: TestRedis;
let oldRedis: OldRedis;
let programs: readonly string[];
beforeAll(async () => {
  [redis, oldRedis, programs] = await Promise.all([
    startRedis({ appendonly: true }),
    startOldRedis('6.2.14'),
    bundle(SERVICES.map(mainOf)),
  ]);
}, 60_000);
afterAll(() => Promise.all([redis.stop(), oldRedis.close()]));

const TOO_OLD = 'Redis 6.2.14 is too old; Mailhook needs 7.0 or newer.';
const NO_DATABASE = 'REDIS_URL names database 20, which cannot be used (ERR DB index is out of range)';
/** One of the reasons is tried with every service. All of them check both in the same place. */
const unusable = [
  { what: 'an old version', url: () => oldRedis.url, why: TOO_OLD, services: SERVICES },
  { what: 'no such database', url: () => `${redis.url}/20`, why: NO_DATABASE, services: SERVICES.slice(0, 1) },
];

async function runService(name: ServiceName, url: string): Promise<{ code: number | null; output: string }> {
  const [port, opsPort] = await Promise.all([freePort(), freePort()]);
  const child = spawn(process.execPath, [programs[SERVICES.indexOf(name)] ?? ''], {
    env: { PATH: process.env['PATH'], REDIS_URL: url, PORT: String(port), OPS_PORT: String(opsPort), ...TOKENS },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  return { code, output };
}

describe.each(unusable)('a Redis with $what', ({ url, why, services }) => {
  test.each(services)(
    'ends %s with the reason and exit code 78',
    async (name) => {
      const { code, output } = await runService(name, url());
      expect(output).toContain(why);
      expect(code).toBe(78);
    },
    60_000,
  );

  test('ends npm start with the reason before a service starts', async () => {
    const run = await startProcess({ env: { REDIS_URL: url() } });
    try {
      const timer = setTimeout(() => run.interrupt(), 60_000);
      expect(await run.exited).toBe(1);
      clearTimeout(timer);
      expect(run.output).toContain(why);
      expect(run.output).not.toMatch(/Services|\n\s+at /);
    } finally {
      await run.close();
    }
  }, 120_000);
});
