import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { unlessMissing } from '@mailhook/testing';
import { ROOT, read, SERVICES } from './deployed.suite.ts';
import { at, itemsAt, mapAt, readYaml } from './yaml.ts';

const run = promisify(execFile);
/** The separate program, or else Docker's subcommand. */
const program = [['docker-compose'], ['docker', 'compose']].find(
  ([command = '', ...first]) => spawnSync(command, [...first, 'version'], { stdio: 'ignore' }).status === 0,
);
const testIf = unlessMissing(test, 'docker-compose');

/** What docker-compose prints about `docker-compose.yml` with this `.env`. It needs no daemon for that. */
async function config(env: string, ...flags: string[]): Promise<{ stdout: string }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'mailhook-compose-'));
  writeFileSync(path.join(folder, '.env'), env);
  copyFileSync(path.join(ROOT, 'docker-compose.yml'), path.join(folder, 'docker-compose.yml'));
  // Passes on no tokens of this process.
  const own = { PATH: process.env['PATH'], HOME: folder };
  const [command = '', ...first] = program ?? [];
  try {
    return await run(command, [...first, 'config', ...flags], { env: own, cwd: folder });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const example = read('.env.example');
const filledIn = example.replaceAll(/^(\w+_TOKEN)=$/gm, '$1=token-of-$1');

testIf('docker-compose takes docker-compose.yml with .env.example filled in', async () => {
  expect((await config(filledIn, '-q')).stdout).toBe('');
  const [resolved] = readYaml((await config(filledIn)).stdout);
  expect(mapAt(resolved, 'services.api.environment')).toMatchObject({
    ADMIN_TOKEN: 'token-of-ADMIN_TOKEN',
    PRODUCER_TOKEN: 'token-of-PRODUCER_TOKEN',
    PUBLIC_URL: '',
    TRUST_PROXY: '',
  });
  for (const worker of ['transactional-notifier', 'campaign-batcher-2'])
    for (const name of ['ADMIN_TOKEN', 'PRODUCER_TOKEN', 'MONGO_URL', 'OPERATIONS_WEBHOOK_SECRET', 'SMTP_URL'])
      expect(at(resolved, `services.${worker}.environment.${name}`)).toBeUndefined();
});

testIf('PUBLIC_URL reaches the api, and the proxy gets a certificate for its host', async () => {
  const [resolved] = readYaml(
    (await config(`${filledIn}\nPUBLIC_URL=https://hooks.example.com\nCOMPOSE_PROFILES=production`)).stdout,
  );
  expect(at(resolved, 'services.api.environment.PUBLIC_URL')).toBe('https://hooks.example.com');
  expect(itemsAt(resolved, 'services.proxy.command')).toContain('https://hooks.example.com');
});

for (const name of ['ADMIN_TOKEN', 'PRODUCER_TOKEN'])
  testIf(`with ${name} left empty it says what to set`, async () => {
    await expect(config(filledIn.replace(`token-of-${name}`, ''), '-q')).rejects.toThrow(`set ${name} in .env`);
  });

testIf('a variable of .env gets to every service that reads it, and the databases can be others', async () => {
  const env = `${filledIn.replace('REDIS_URL=', 'REDIS_URL=rediss://cache.example:6380')}DELIVERY_TIMEOUT_MS=7000\nRETRY_SCHDULE=1s\n`;
  const [resolved] = readYaml((await config(env)).stdout);
  for (const service of SERVICES)
    expect(mapAt(resolved, `services.${service}.environment`)).toMatchObject({
      DELIVERY_TIMEOUT_MS: '7000',
      REDIS_URL: 'rediss://cache.example:6380',
    });
  // The api itself refuses the misspelled name.
  expect(at(resolved, 'services.api.environment.RETRY_SCHDULE')).toBe('1s');
  expect(at(resolved, 'services.api.environment.MONGO_URL')).toBe('mongodb://mongo:27017/mailhook');
});
