import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { eventually } from '@mailhook/testing';

const SIGNAL = 'seen.txt';
/** The second test ends when the first one's failure has been seen. Nothing closes the server. */
const FILE = `
  const { existsSync } = require('node:fs');
  const { createServer } = require('node:net');
  test('opens a server and fails before it closes it', async () => {
    await new Promise((resolve) => createServer().listen(0, '127.0.0.1', resolve));
    expect('this is red').toBe('green');
  });
  test('goes on', async () => {
    while (!existsSync(${JSON.stringify(SIGNAL)})) await new Promise((resolve) => setTimeout(resolve, 20));
  });`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'mailhook-red-'));
  symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'));
  writeFileSync(path.join(folder, 'red.test.js'), FILE);
  const config = {
    reporters: ['default', path.resolve('scripts/checks/jest-reporter.cjs')],
    projects: [{ displayName: 'unit', rootDir: folder, testMatch: ['<rootDir>/red.test.js'], transform: {} }],
  };
  writeFileSync(path.join(folder, 'jest.config.mjs'), `export default ${JSON.stringify(config)};`);
});
afterEach(() => rmSync(folder, { recursive: true }));

test('`npm test` shows a failure while other tests run, and ends although it left a server open', async () => {
  const tsx = pathToFileURL(createRequire(path.resolve('package.json')).resolve('tsx')).href;
  const args = ['--conditions=@mailhook/source', '--import', tsx, path.resolve('scripts/mailhook.ts'), 'test'];
  const child = spawn(process.execPath, [...args, '--only', 'unit', 'red'], {
    cwd: folder,
    env: { ...process.env, CI: '', REDIS_TEST_URL: 'redis://127.0.0.1:1', MONGO_TEST_URL: 'mongodb://127.0.0.1:1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  try {
    await eventually(() => output.includes('this is red'), { withinMs: 60_000, what: 'the failure' });
    expect(output).toContain('opens a server and fails before it closes it');
    expect(output).not.toContain('1 passed, 1 failed');
    writeFileSync(path.join(folder, SIGNAL), '');
    await eventually(() => child.exitCode !== null, { withinMs: 60_000, what: 'the end of npm test' });
    expect(child.exitCode).toBe(1);
    expect(output).toContain('a test left something open');
    expect(output.trimEnd().split('\n').at(-1)).toBe('1 passed, 1 failed');
  } finally {
    if (child.exitCode === null) {
      child.kill();
      await once(child, 'exit');
    }
  }
}, 150_000);
