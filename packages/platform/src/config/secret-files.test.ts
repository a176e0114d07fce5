import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { commonEnvironment } from './environments.ts';
import { misspeltVariables } from './misspelt.ts';
import { ConfigError, describeEnvironment, readConfig } from './read-config.ts';
import { integer, labeledSecrets, mongoUrl, optional, secret, secretKeys, signingSecret } from './variable-types.ts';

const TOKEN = 'a-token-with-24-characters';
const shape = { ADMIN_TOKEN: secret().describe('Token of the admin API'), COUNT: integer(1, { min: 1, max: 9 }) };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'mailhook-secrets-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function fileWith(content: string, name = 'secret'): string {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
}

function faultOf(env: NodeJS.ProcessEnv, of: Parameters<typeof readConfig>[0] = shape): string {
  try {
    readConfig(of, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
  }
  throw new Error('the environment was taken');
}

describe('a secret in a file', () => {
  test.each(['', '\n', '\r\n'])('is read without its final newline %j', (end) => {
    expect(readConfig(shape, { ADMIN_TOKEN_FILE: fileWith(TOKEN + end) }).ADMIN_TOKEN).toBe(TOKEN);
  });

  test('is used if the variable itself is empty, as docker compose sets it', () => {
    expect(readConfig(shape, { ADMIN_TOKEN: '', ADMIN_TOKEN_FILE: fileWith(TOKEN) }).ADMIN_TOKEN).toBe(TOKEN);
    expect(readConfig(shape, { ADMIN_TOKEN: TOKEN, ADMIN_TOKEN_FILE: '' }).ADMIN_TOKEN).toBe(TOKEN);
  });

  test('must not be in the environment too', () => {
    expect(faultOf({ ADMIN_TOKEN: TOKEN, ADMIN_TOKEN_FILE: fileWith(TOKEN) })).toBe(
      'One environment variable is not usable:\n  - ADMIN_TOKEN and ADMIN_TOKEN_FILE are both set: remove one of them',
    );
  });

  test.each([
    ['missing', () => path.join(folder, 'absent'), 'cannot be read (ENOENT): correct the path or its permissions'],
    ['a folder', () => folder, 'cannot be read (EISDIR): correct the path or its permissions'],
    ['empty', () => fileWith(''), 'is empty: write the value into it'],
    ['a newline only', () => fileWith('\n'), 'is empty: write the value into it'],
  ])('that is %s is reported with the variable and the path', (_what, fileOf, fault) => {
    const file = fileOf();
    expect(faultOf({ ADMIN_TOKEN_FILE: file, COUNT: '0' }).split('\n')).toEqual([
      '2 environment variables are not usable:',
      `  - ADMIN_TOKEN_FILE is "${file}", but this file ${fault}`,
      '  - COUNT is "0", but must be a whole number from 1 to 9; leave it out for the default 1',
    ]);
  });

  test('is judged like the variable, and never shown', () => {
    const file = fileWith('hunter2\n');
    expect(faultOf({ ADMIN_TOKEN_FILE: file })).toContain(
      `ADMIN_TOKEN in the file "${file}" is (value not shown), but must be at least 24 printable ASCII characters`,
    );
    const redis = fileWith('http://user:hunter2@redis', 'redis');
    const message = faultOf({ REDIS_URL_FILE: redis }, commonEnvironment);
    expect(message).toContain(`REDIS_URL in the file "${redis}" is "http://***@redis", but must be redis://`);
  });

  test('exists only for variables that hold secrets', () => {
    expect(readConfig(shape, { ADMIN_TOKEN: TOKEN, COUNT_FILE: fileWith('3') }).COUNT).toBe(1);
  });
});

test('every kind of secret may come from a file, also an optional one with a description', () => {
  const secrets = {
    A: secret(),
    B: optional(secretKeys()).describe('b'),
    C: optional(mongoUrl()).describe('c'),
    D: optional(signingSecret()),
    E: labeledSecrets(),
    REDIS_URL: commonEnvironment.REDIS_URL,
  };
  expect(describeEnvironment(secrets).filter(({ fromFile }) => !fromFile)).toEqual([]);
  expect(describeEnvironment(secrets).find(({ name }) => name === 'REDIS_URL')?.default).toBe('redis://127.0.0.1:6379');
});

test('an optional secret is never shown either', () => {
  expect(faultOf({ SECRETS_KEY: 'hunter2' }, commonEnvironment)).toContain('SECRETS_KEY is (value not shown), but');
});

test('the guard against misspelt names knows the variables for files', () => {
  expect(misspeltVariables({ ADMIN_TOKEN_FILE: 'x', REDIS_URL_FILE: 'x', SECRETS_KEY_FILE: 'x' })).toEqual([]);
  expect(misspeltVariables({ ADMIN_TOKEN_FLIE: 'x' })).toEqual([
    { name: 'ADMIN_TOKEN_FLIE', meant: 'ADMIN_TOKEN_FILE' },
  ]);
});

describe('several labeled secrets', () => {
  const [one, two] = ['first-token-of-the-operators', 'second-token-of-the-operators'];
  const read = (text: string) => readConfig({ ADMIN_TOKEN: labeledSecrets() }, { ADMIN_TOKEN: text }).ADMIN_TOKEN;

  test.each(['label=first-token,with-commas==', ',.;:=+-*'.repeat(3), '=ABCDEFG'.repeat(3)])(
    'a text without spaces is one secret, as before: %s',
    (text) => {
      expect(read(text)).toEqual([{ label: undefined, scope: 'admin', secret: text }]);
    },
  );

  test.each([
    ['by commas', `alice ${one}, ci.deploy ${two}`],
    ['by lines', `alice ${one}\nci.deploy ${two}\n`],
    ['by lines with commas, spaces and empty lines', `  alice   ${one},\r\n\r\n  ci.deploy\t${two} \n`],
  ])('%s', (_how, text) => {
    expect(read(text)).toEqual([
      { label: 'alice', scope: 'admin', secret: one },
      { label: 'ci.deploy', scope: 'admin', secret: two },
    ]);
  });

  test('a label may be followed by a scope', () => {
    expect(read(`alice:admin ${one}, web:portal ${two}`).map(({ label, scope }) => [label, scope])).toEqual([
      ['alice', 'admin'],
      ['web', 'portal'],
    ]);
    expect(read(`${one}, monitor:read ${two}`).map(({ label, scope }) => [label, scope])).toEqual([
      [undefined, 'admin'],
      ['monitor', 'read'],
    ]);
  });

  test('one of them must have the scope admin', () => {
    expect(faultOf({ ADMIN_TOKEN: `web:portal ${one}` }, { ADMIN_TOKEN: labeledSecrets() })).toContain(
      'must have a token with the scope admin',
    );
  });

  test('one label may have two secrets during a rotation, and labels may be left out', () => {
    expect(read(`alice ${one}, alice ${two}`)).toHaveLength(2);
    expect(read(`${one}\n${two}`).map(({ label }) => label)).toEqual([undefined, undefined]);
  });

  test.each([
    ['a short secret', `alice ${one}, bob short`],
    ['three words', `alice ${one} ${two}`],
    ['a secret in the place of a label', `${two} ${one}`],
    ['a label with other characters', `al/ice ${one}`],
    ['an unknown scope', `alice:root ${one}`],
    ['a scope without a label', `:read ${one}`],
  ])('%s is refused without being shown', (_what, text) => {
    expect(faultOf({ ADMIN_TOKEN: text }, { ADMIN_TOKEN: labeledSecrets() })).toMatch(
      /^One .*\n {2}- ADMIN_TOKEN is \(value not shown\), but must be at least 24 .* as "label token"/,
    );
  });

  test('the same secret twice is refused', () => {
    expect(faultOf({ ADMIN_TOKEN: `a ${one}, b ${one}` }, { ADMIN_TOKEN: labeledSecrets() })).toContain(
      'must not have a token twice',
    );
  });
});
