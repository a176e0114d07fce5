import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

test('`npm test` without the packages of development says what to run', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'mailhook-not-installed-'));
  const tsx = pathToFileURL(createRequire(path.resolve('package.json')).resolve('tsx')).href;
  try {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--conditions=@mailhook/source', '--import', tsx, path.resolve('scripts/checks/test.ts')],
      { cwd: folder, encoding: 'utf8' },
    );
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: '',
      stderr: 'What the tests need is not installed, perhaps because of --omit=dev. Run `npm ci`.\n',
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
