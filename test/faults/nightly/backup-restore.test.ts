import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually, unlessMissing } from '@mailhook/testing';
import type { CountingReceiver } from '../rig/counting-receiver.ts';
import { startCountingReceiver } from '../rig/counting-receiver.ts';
import { untilOver } from '../rig/engine-state.ts';
import { createLedger } from '../rig/ledger.ts';
import type { Customer } from '../rig/load.ts';
import { createCustomers, startLoad } from '../rig/load.ts';
import { createRandom, runSeed } from '../rig/random.ts';
import type { Stack } from '../rig/stack.ts';
import { startStack } from '../rig/stack.ts';

const run = promisify(execFile);
const SCRIPTS = path.join(__dirname, '../../../k8s/components/backup');

describe('a backup of Redis under load, made and restored by the scripts of the deployments', () => {
  const random = createRandom(runSeed());
  const ledger = createLedger();
  const backups = mkdtempSync(path.join(tmpdir(), 'mailhook-backups-'));
  const rates = { everyMs: 100, notifications: 10, campaignEvents: 20 };
  let receiver: CountingReceiver;
  let stack: Stack;
  let customers: readonly Customer[];

  beforeAll(async () => {
    receiver = await startCountingReceiver(ledger, () => ({ delayMs: 0, status: 503 }));
    stack = await startStack({
      workers: { 'transactional-notifier': 1, 'campaign-batcher': 1 },
      env: { RETRY_SCHEDULE: Array.from({ length: 60 }, () => '500ms').join(','), BREAKER_FAILURES: '1000' },
    });
    customers = await createCustomers(stack, receiver.url, 5);
  }, 120_000);
  afterAll(async () => {
    await stack.close();
    await receiver.close();
    rmSync(backups, { recursive: true });
  }, 60_000);

  const script = (name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    run('sh', [path.join(SCRIPTS, name), ...args], { env: { ...process.env, BACKUP_DIR: backups, ...env } });
  const load = (accept: (keys: readonly string[]) => void, series: string) =>
    startLoad({ stack, ledger: { accept }, random, customers, series, ...rates });

  it('everything that waited at the backup is delivered after a restore on an empty disk', async () => {
    const inBackup = load((keys) => ledger.accept(keys), 'before');
    await eventually(() => ledger.accepted > 1000, { withinMs: 30_000, what: '1,000 waiting events' });
    await inBackup.stop();
    let later = 0;
    const afterwards = load((keys) => (later += keys.length), 'after');
    await eventually(() => later > 100, { withinMs: 30_000, what: 'load while the backup is made' });
    await script('backup-redis.sh', [], { REDIS_URL: stack.redis.url });
    await afterwards.stop();
    const [backup = '', ...others] = readdirSync(backups);
    expect([backup, others]).toEqual([expect.stringMatching(/^redis-[\dT:-]+Z\.rdb$/), []]);

    const lostAtMs = performance.now();
    await stack.redis.kill();
    rmSync(stack.redis.dir, { recursive: true });
    mkdirSync(stack.redis.dir);
    const { stdout } = await script('restore-redis.sh', [backup], { DATA_DIR: stack.redis.dir });
    expect(stdout).toMatch(/ has [1-9]\d* keys/);
    expect(readdirSync(stack.redis.dir)).toEqual(['appendonlydir']);
    receiver.treat(() => ({ delayMs: 0 }));
    await stack.redis.restart();
    await ledger.untilWhole(60_000);
    process.stdout.write(
      `restore: ${ledger.accepted} events of the backup, ${ledger.duplicates} twice, ${ledger.missing().length} ` +
        `missing; all had arrived ${Math.round(ledger.lastDeliveryAtMs - lostAtMs)} ms after Redis was lost\n`,
    );
    expect([ledger.renamed, stack.endedThemselves]).toEqual([[], []]);
    for (const state of Object.values(stack.state)) await untilOver([state]);
  }, 180_000);

  it('a restore refuses a broken snapshot, and a folder with data', async () => {
    writeFileSync(path.join(backups, 'broken.rdb'), 'REDIS0011');
    const empty = mkdtempSync(path.join(backups, 'empty-'));
    await expect(script('restore-redis.sh', ['broken.rdb'], { DATA_DIR: empty })).rejects.toThrow(/no whole snapshot/);
    const [backup = ''] = readdirSync(backups).filter((name) => name.startsWith('redis-'));
    await expect(script('restore-redis.sh', [backup], { DATA_DIR: stack.redis.dir })).rejects.toThrow(/is not empty/);
  });

  unlessMissing(it, 'age')(
    'a backup is for its owner only, shows no password to other users, and is encrypted for a key of age',
    async () => {
      const folder = mkdtempSync(path.join(backups, 'private-'));
      const keyFile = path.join(folder, 'key.txt');
      await run('age-keygen', ['--output', keyFile]);
      const recipient = /public key: (age1\w+)/.exec(readFileSync(keyFile, 'utf8'))?.[1] ?? '';
      // Stand before the real programs on the PATH, and record their arguments.
      const programs = mkdtempSync(path.join(tmpdir(), 'mailhook-programs-'));
      const recorded = path.join(programs, 'arguments');
      const stand = (name: string, then: string) =>
        writeFileSync(path.join(programs, name), `#!/bin/sh\nprintf '%s\\n' "$@" >> '${recorded}'\n${then}\n`, {
          mode: 0o755,
        });
      const { stdout: cli } = await run('sh', ['-c', 'command -v redis-cli']);
      stand('redis-cli', `exec ${cli.trim()} "$@"`);
      stand('mongodump', `for a; do case "$a" in --archive=*) cat "$3" > "\${a#--archive=}";; esac; done`);
      stand('mongorestore', 'cat "$2"');
      const PATH = `${programs}:${process.env['PATH'] ?? ''}`;
      const password = 'se%cret @:/';
      const user = { url: stack.redis.url.replace('redis://', `redis://back%40up:${encodeURIComponent(password)}@`) };
      await run(cli.trim(), [
        '-u',
        stack.redis.url,
        'ACL',
        'SETUSER',
        'back@up',
        'on',
        `>${password}`,
        '~*',
        '&*',
        '+@all',
      ]);
      const env = { BACKUP_DIR: folder, PATH };
      await script('backup-redis.sh', [], { ...env, REDIS_URL: user.url });
      await script('backup-redis.sh', [], { ...env, REDIS_URL: user.url, BACKUP_AGE_RECIPIENT: recipient });
      const mongoUrl = 'mongodb://user:se%25cret@mongo.example/mailhook';
      await script('backup-mongo.sh', [], { ...env, MONGO_URL: mongoUrl });
      await script('backup-mongo.sh', [], { ...env, MONGO_URL: mongoUrl, BACKUP_AGE_RECIPIENT: recipient });
      const files = readdirSync(folder).filter((name) => name !== 'key.txt');
      expect(files.filter((name) => name.includes('.part'))).toEqual([]);
      const modes = files.map((name) => statSync(path.join(folder, name)).mode & 0o777);
      expect(modes).toEqual(files.map(() => 0o600));
      const archive = files.find((name) => name.endsWith('.archive')) ?? '';
      expect(readFileSync(path.join(folder, archive), 'utf8')).toBe(`uri: "${mongoUrl}"\n`);
      const restored = await script('restore-mongo.sh', [archive], { ...env, MONGO_URL: mongoUrl });
      expect(restored.stdout).toBe(`uri: "${mongoUrl}"\n`);
      expect(readFileSync(recorded, 'utf8')).not.toMatch(/cret/);
      const encrypted = files.find((name) => name.endsWith('.rdb.age')) ?? '';
      const opened = path.join(folder, 'opened.rdb');
      await run('age', ['--decrypt', '--identity', keyFile, '--output', opened, path.join(folder, encrypted)]);
      await run('redis-check-rdb', [opened]);
      rmSync(programs, { recursive: true });
    },
  );

  it('a backup of a Redis that is away leaves no file', async () => {
    const before = readdirSync(backups);
    const url = `redis://127.0.0.1:1`;
    await expect(script('backup-redis.sh', [], { REDIS_URL: url })).rejects.toThrow(/refused/i);
    expect(readdirSync(backups)).toEqual(before);
  });
});
