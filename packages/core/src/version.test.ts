import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAILHOOK_VERSION } from './version.ts';

test('the version is the same as in package.json', () => {
  const manifest = JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8')) as { version: string };
  expect(MAILHOOK_VERSION).toBe(manifest.version);
});
