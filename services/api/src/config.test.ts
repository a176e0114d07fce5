import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConfigError } from '@mailhook/platform/config';
import { loadConfig } from './config.ts';

const [ADMIN, PRODUCER] = ['an-admin-token-of-this-test', 'the-producer-token-of-a-test'];

test('an admin token that producers have too is refused, also among several', () => {
  expect(loadConfig({ ADMIN_TOKEN: ADMIN, PRODUCER_TOKEN: PRODUCER })).toMatchObject({ PRODUCER_TOKEN: PRODUCER });
  for (const tokens of [PRODUCER, `ops ${ADMIN}, other ${PRODUCER}`])
    expect(() => loadConfig({ ADMIN_TOKEN: tokens, PRODUCER_TOKEN: PRODUCER })).toThrow(ConfigError);
});

test('so is one that a changed file brings', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'mailhook-config-'));
  const file = path.join(folder, 'token');
  writeFileSync(file, ADMIN);
  const { readAgain } = loadConfig({ ADMIN_TOKEN_FILE: file, PRODUCER_TOKEN: PRODUCER });
  writeFileSync(file, PRODUCER);
  expect(readAgain.adminTokens).toThrow('ADMIN_TOKEN and PRODUCER_TOKEN are the same');
  rmSync(folder, { recursive: true });
});
