import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { commonEnvironment, deliveryEnvironment, egressEnvironment } from './environments.ts';
import { ConfigError, readConfig } from './read-config.ts';
import * as types from './variable-types.ts';

const shape = {
  HOST: types.host('0.0.0.0'),
  REDIS_URL: commonEnvironment.REDIS_URL,
  EGRESS_PROXY_URL: egressEnvironment.EGRESS_PROXY_URL,
  IDLE_CONNECTION_MAX: deliveryEnvironment.IDLE_CONNECTION_MAX,
  MONGO_URL: types.optional(types.mongoUrl()),
  ADMIN_TOKEN: types.optional(types.labeledSecrets()),
  PRODUCER_TOKEN: types.optional(types.secret()),
  BRAND_NAME: types.text({ pattern: /./, fault: 'must be a name' }, 'Mailhook'),
  PUBLIC_URL: types.optional(types.siteUrl()),
  BRAND_URL: types.optional(types.url()),
  ALERT_LINK_URL: types.optional(types.urlTemplate(['account'])),
};

function faultOf(env: NodeJS.ProcessEnv): string {
  try {
    readConfig(shape, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
  }
  return 'taken';
}

const TOKEN = 'a-token-with-24-characters';

describe('a value in quotation marks', () => {
  test.each([
    ['ADMIN_TOKEN', `"${TOKEN}"`],
    ['ADMIN_TOKEN', `"ops ${TOKEN}, other another-${TOKEN}"`],
    ['PRODUCER_TOKEN', `'${TOKEN}'`],
    ['BRAND_NAME', '"Acme"'],
    ['HOST', "'127.0.0.1'"],
    ['REDIS_URL', '"redis://127.0.0.1"'],
  ])('is refused in %s: %s', (name, value) => {
    expect(faultOf({ [name]: value })).toContain(`${name} is in quotation marks: remove them`);
    expect(faultOf({ [name]: value })).not.toContain(TOKEN);
  });

  test('is refused in a file', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'mailhook-quoted-'));
    const file = path.join(folder, 'token');
    writeFileSync(file, `"${TOKEN}"\n`);
    expect(faultOf({ PRODUCER_TOKEN_FILE: file })).toContain(
      `PRODUCER_TOKEN in the file ${JSON.stringify(file)} is in quotation marks: remove them`,
    );
    rmSync(folder, { recursive: true });
  });

  test.each(["Acme's", `it"s`, '"', `"a'`])('is not %s', (name) => {
    expect(readConfig(shape, { BRAND_NAME: name }).BRAND_NAME).toBe(name);
  });
});

test.each([
  ['PUBLIC_URL', 'https://mail\u00adhook.test', 'U+00AD: see position 12'],
  ['BRAND_URL', 'https://brand.test/\u200b', 'U+200B: see position 19'],
  ['ALERT_LINK_URL', 'https://panel.test/\u202e{account}', 'U+202E: see position 19'],
])('a character that nobody sees is refused in %s and named', (name, value, where) => {
  expect(faultOf({ [name]: value })).toContain(`must not contain the invisible character ${where}`);
});

test.each([
  ['REDIS_URL', 'redis://default:12#34@h'],
  ['REDIS_URL', 'redis://default:12/34@h'],
  ['REDIS_URL', 'redis://default:12?34@h'],
  ['MONGO_URL', 'mongodb://user:12/34@h/mailhook'],
  ['EGRESS_PROXY_URL', 'http://user:12#34@h'],
])('%s with a sign of its password that ends the host is refused with a hint: %s', (name, value) => {
  expect(faultOf({ [name]: value })).toContain('write # / ? and @ in a password as %23 %2F %3F and %40');
  expect(faultOf({ [name]: value })).not.toContain('34@');
});

test.each(['redis://h/x', 'redis://h/1/2', 'redis://h/-1'])('%s names no database', (url) => {
  expect(faultOf({ REDIS_URL: url })).toContain('must be redis://host:port or redis://host:port/database-number');
});

test.each([
  ['0s', 'must be from 1s to 1h'],
  ['2h', 'must be from 1s to 1h'],
  ['90', 'must be a duration such as'],
])('IDLE_CONNECTION_MAX=%s is refused', (text, fault) => {
  expect(faultOf({ IDLE_CONNECTION_MAX: text })).toContain(fault);
});

test.each([
  ['[::]', '::'],
  ['[::1]', '::1'],
  ['::', '::'],
  ['127.0.0.1', '127.0.0.1'],
  ['localhost', 'localhost'],
])('HOST %s is read as %s', (text, host) => {
  expect(readConfig(shape, { HOST: text }).HOST).toBe(host);
});

test.each(['aaaaaaaaaaaaaaaaaaaaaaaa', 'abcabcabcabcabcabcabcabcabc', 'changemechangemechangeme'])(
  'the token %s is too easy to guess',
  (token) => {
    const fault = 'must have at least 8 different characters, as of: openssl rand -hex 32';
    expect(faultOf({ PRODUCER_TOKEN: token })).toContain(`PRODUCER_TOKEN is (value not shown), but ${fault}`);
    expect(faultOf({ ADMIN_TOKEN: `ops ${token}` })).toContain(fault);
  },
);

test.each([
  ['https://mail.example.com/mailhook', 'must have no path'],
  ['https://mail.example.com/?a=b', 'must have no path'],
  ['https://mail.example.com/#a', 'must have no path'],
  ['https://user:pass@mail.example.com', 'must have no path'],
  ['mail.example.com', 'must be a URL'],
])('PUBLIC_URL %s is refused', (url, fault) => {
  expect(faultOf({ PUBLIC_URL: url })).toContain(fault);
});

test.each(['https://mail.example.com', 'https://mail.example.com/', 'http://127.0.0.1:3000'])(
  'PUBLIC_URL may be %s',
  (url) => {
    expect(readConfig(shape, { PUBLIC_URL: url }).PUBLIC_URL).toBe(url);
  },
);

test('a process that verifies no certificates does not start', () => {
  expect(faultOf({ NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toContain(
    'NODE_TLS_REJECT_UNAUTHORIZED is "0", which switches off the verification of all certificates: remove it',
  );
  expect(faultOf({ NODE_TLS_REJECT_UNAUTHORIZED: '1' })).toBe('taken');
});
