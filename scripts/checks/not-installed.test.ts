import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Commands that work after `npm ci --omit=dev`. */
const FOR_USERS = [
  'start',
  'listen',
  'doctor',
  'send',
  'mailbox',
  'preflight',
  'images',
  'faults',
  'soak',
  'release:check',
];
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

test.each(Object.keys(scripts).filter((name) => !FOR_USERS.includes(name)))(
  '`npm run %s` without the packages of development says what to run',
  (name) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'mailhook-not-installed-'));
    try {
      mkdirSync(path.join(folder, 'scripts'));
      for (const file of ['package.json', 'scripts/all-packages.mjs']) copyFileSync(file, path.join(folder, file));
      const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', name], {
        cwd: folder,
        encoding: 'utf8',
        env: { ...process.env, NODE_OPTIONS: '' },
      });
      expect({ status, stdout, stderr }).toEqual({
        status: 1,
        stdout: '',
        stderr: `\`npm run ${name}\` needs all packages, also those of development: run \`npm ci\` without --omit=dev.\n`,
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
