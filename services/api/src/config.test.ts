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

test('e-mails need a sender and a public URL, wherever SMTP_URL comes from', () => {
  const tokens = { ADMIN_TOKEN: ADMIN, PRODUCER_TOKEN: PRODUCER };
  const mail = { SMTP_URL: 'smtps://user:p%40ss@mail.example.com', SMTP_FROM: 'Hooks <a@b.example>' };
  expect(loadConfig({ ...tokens, ...mail, PUBLIC_URL: 'https://hooks.example.com' })).toMatchObject(mail);
  expect(() => loadConfig({ ...tokens, SMTP_URL: mail.SMTP_URL })).toThrow(
    /PUBLIC_URL is missing: set it \(.*SMTP_URL.*\)[^]*SMTP_FROM is missing|SMTP_FROM is missing[^]*PUBLIC_URL is missing/,
  );
  const folder = mkdtempSync(path.join(tmpdir(), 'mailhook-config-'));
  const file = path.join(folder, 'smtp');
  writeFileSync(file, mail.SMTP_URL);
  expect(() => loadConfig({ ...tokens, SMTP_URL_FILE: file })).toThrow('SMTP_FROM is missing');
  rmSync(folder, { recursive: true });
  for (const from of ['Hooks', 'a@b.example, c@d.example', 'Hooks\nBcc: c@d.example <a@b.example>'])
    expect(() => loadConfig({ ...tokens, ...mail, SMTP_FROM: from, PUBLIC_URL: 'https://h.example' })).toThrow(
      'SMTP_FROM is',
    );
  for (const url of ['http://mail.example.com', 'mail.example.com:25', 'smtp://'])
    expect(() => loadConfig({ ...tokens, SMTP_URL: url })).toThrow('must be smtp://host:port or smtps://host:port');
});
