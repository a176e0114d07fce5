import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { OUT, packProducer, published } from './pack.ts';

const EVENT = `{ account: 'a', module: 'transactional_email', name: 'open', messageId: 'm', time: 17e8, ip: '::1' }`;
const PROGRAM = `
import { createHttpProducer, InvalidEventsError } from '@mailhook/producer';
const producer = createHttpProducer({ url: process.argv[2], token: 'secret' });
await producer.add(${EVENT});
const invalid = await producer.send([{}]).catch((error) => error instanceof InvalidEventsError);
await producer.close();
console.log(JSON.stringify(invalid));
`;
const TYPED = `
import { createHttpProducer } from '@mailhook/producer';
import type { ProducerEvent } from '@mailhook/producer';
const event: ProducerEvent = ${EVENT};
export const sent: Promise<{ readonly accepted: number }> = createHttpProducer({ url: 'http://127.0.0.1', token: 't' }).send([event]);
// @ts-expect-error A campaign event needs a recipient.
export const wrong: ProducerEvent = { account: 'a', module: 'campaign', event: 'open', campaign: 'c123456789', timestamp: 1 };
`;

test('the package names the repository of the root, if that names one', () => {
  const source = { version: '1.0.0', dependencies: {}, peerDependencies: {} };
  const url = 'git+https://git.example.com/mailhook.git';
  expect(published(source, url)).toMatchObject({ repository: { type: 'git', url, directory: 'packages/producer' } });
  expect(published(source, undefined)).not.toHaveProperty('repository');
});

describe('the package @mailhook/producer', () => {
  let folder: string;
  let tarball: string;
  beforeAll(async () => {
    tarball = await packProducer();
    folder = mkdtempSync(path.join(tmpdir(), 'mailhook-producer-'));
    writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--silent'];
    execFileSync('npm', ['install', ...flags, tarball], { cwd: folder });
  }, 120_000);
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  test('installs into an empty project with one dependency, and sends an event', async () => {
    expect(readdirSync(path.join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      '@mailhook',
      'zod',
    ]);
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        bodies.push(body);
        response.writeHead(202).end('{"accepted":1}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    writeFileSync(path.join(folder, 'send.js'), PROGRAM);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const output = await run([path.join(folder, 'send.js'), url]);
    server.close();
    expect(output.trim()).toBe('true');
    expect(JSON.parse(bodies[0] ?? '')).toMatchObject([{ messageId: 'm', id: expect.any(String) as string }]);
  });

  test('has types, which fit the events in its README', () => {
    const [, events = ''] =
      /```ts\n(import type [^`]*)```/.exec(readFileSync('packages/producer/README.md', 'utf8')) ?? [];
    expect(events).toContain('survey.answered');
    writeFileSync(path.join(folder, 'typed.ts'), TYPED);
    writeFileSync(path.join(folder, 'events.ts'), `${events}\nexport { events };`);
    const flags = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2022', '--module', 'nodenext'];
    const args = [path.resolve('node_modules/typescript/bin/tsc'), ...flags, 'typed.ts', 'events.ts'];
    const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, '']);
  });

  test('follows the rules of npm packages', async () => {
    // It exits with an error after a fault or, with --strict, a warning.
    await expect(run(['node_modules/publint/src/cli.js', OUT, '--strict'])).resolves.toBeDefined();
  });

  test('has types that compilers find for each entry point', async () => {
    // It exits with an error after a fault. The package has ES modules only. It reads the file alone and needs no
    // network.
    const attw = 'node_modules/@arethetypeswrong/cli/dist/index.js';
    await expect(run([attw, tarball, '--profile', 'esm-only', '--no-definitely-typed'])).resolves.toContain(
      '@mailhook/producer/queue',
    );
  });
});

const run = (args: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(process.execPath, [...args], (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${stderr}${stdout}`));
    });
  });
