import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { UserError } from '../user-error.ts';
import { serviceProgram } from './services.ts';
import { readSettings } from './settings.ts';
import { readStackFile, removeStackFile, requireStackFile, stackFilePath, writeStackFile } from './stack-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'mailhook-settings-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (file: string): number => statSync(file).mode & 0o777;

test('the defaults listen on this machine only, with consecutive operations ports', () => {
  expect(readSettings({ DATA_DIR: folder })).toMatchObject({
    host: '127.0.0.1',
    port: 3000,
    opsPorts: { api: 3100, 'transactional-notifier': 3101, 'campaign-batcher': 3102 },
    baseUrl: 'http://127.0.0.1:3000',
    opsUrl: 'http://127.0.0.1:3100',
    redisUrl: undefined,
  });
});

test('generated tokens are kept, readable only by this user', () => {
  const first = readSettings({ DATA_DIR: folder });
  const second = readSettings({ DATA_DIR: folder });
  expect(first.adminToken).not.toBe(first.producerToken);
  expect(second).toMatchObject({ adminToken: first.adminToken, producerToken: first.producerToken });
  expect(modeOf(path.join(folder, 'tokens.json'))).toBe(0o600);
});

test('tokens of the environment take precedence and are not stored', () => {
  const kept = readSettings({ DATA_DIR: folder });
  expect(readSettings({ DATA_DIR: folder, ADMIN_TOKEN: 'admin-token-of-the-environment' }).adminToken).toBe(
    'admin-token-of-the-environment',
  );
  expect(readSettings({ DATA_DIR: folder, ADMIN_TOKEN: '' }).adminToken).toBe(kept.adminToken);
});

test('a key that encrypts stored secrets is kept for databases under DATA_DIR, readable only by this user', () => {
  const { secretsKey } = readSettings({ DATA_DIR: folder });
  expect(Buffer.from(secretsKey ?? '', 'base64')).toHaveLength(32);
  expect(readSettings({ DATA_DIR: folder }).secretsKey).toBe(secretsKey);
  expect(modeOf(path.join(folder, 'secrets-key.json'))).toBe(0o600);
  // Databases of one's own may outlive the folder, and with it the key.
  expect(readSettings({ DATA_DIR: folder, REDIS_URL: 'redis://127.0.0.1:7000' }).secretsKey).toBeUndefined();
  expect(readSettings({ DATA_DIR: folder, MONGO_URL: 'mongodb://127.0.0.1:7000' }).secretsKey).toBeUndefined();
  writeFileSync(path.join(folder, 'secrets-key.json'), 'broken');
  expect(() => readSettings({ DATA_DIR: folder })).toThrow('Put back your copy of it');
});

describe('secrets in files', () => {
  const fileWith = (content: string): string => {
    const file = path.join(folder, 'secret');
    writeFileSync(file, content);
    return file;
  };
  const apiEnvironment = (env: NodeJS.ProcessEnv) => {
    const settings = readSettings({ DATA_DIR: folder, ...env });
    const databases = { redisUrl: settings.redisUrl ?? 'redis://127.0.0.1:6379', mongoUrl: settings.mongoUrl };
    return { settings, given: serviceProgram('api', 'main.mjs', settings, databases, env).env };
  };

  test('the api reads a file of tokens itself, and npm start uses the first token', () => {
    const file = fileWith('alice first-token-of-the-operators\nbob second-token-of-the-operators\n');
    const { settings, given } = apiEnvironment({ ADMIN_TOKEN_FILE: file });
    expect(settings.adminToken).toBe('first-token-of-the-operators');
    expect([given['ADMIN_TOKEN_FILE'], given['ADMIN_TOKEN']]).toEqual([file, undefined]);
    expect(given['PRODUCER_TOKEN']).toBe(settings.producerToken);
  });

  test('the api gets all tokens of the environment', () => {
    const tokens = 'alice first-token-of-the-operators, bob second-token-of-the-operators';
    expect(apiEnvironment({ ADMIN_TOKEN: tokens }).given['ADMIN_TOKEN']).toBe(tokens);
  });

  test('the services get the kept key, unless the environment has one', () => {
    const { settings, given } = apiEnvironment({});
    expect(given['SECRETS_KEY']).toBe(settings.secretsKey);
    const own = Buffer.alloc(32).toString('base64');
    expect(apiEnvironment({ SECRETS_KEY: own }).given['SECRETS_KEY']).toBe(own);
    const file = fileWith(own);
    expect(apiEnvironment({ SECRETS_KEY_FILE: file }).given).not.toHaveProperty('SECRETS_KEY');
  });

  test('the services get the addresses of databases only once', () => {
    const { given } = apiEnvironment({ REDIS_URL_FILE: fileWith('redis://user:secret@127.0.0.1:7000\n') });
    expect([given['REDIS_URL'], given['REDIS_URL_FILE']]).toEqual(['redis://user:secret@127.0.0.1:7000', '']);
  });
});

test.each([
  ['in DATA_DIR, while nothing is set', {}, (data: string) => path.join(data, 'event-log')],
  ['where EVENT_LOG says', { EVENT_LOG: '/elsewhere' }, () => '/elsewhere'],
  ['nowhere, with an empty EVENT_LOG', { EVENT_LOG: '' }, () => ''],
])('the event log is %s', (_where, env, expected) => {
  const settings = readSettings({ DATA_DIR: folder });
  const databases = { redisUrl: 'redis://127.0.0.1:6379', mongoUrl: undefined };
  expect(serviceProgram('api', 'main.mjs', settings, databases, env).env['EVENT_LOG']).toBe(expected(folder));
});

test('the operations ports listen on the loopback address unless OPS_HOST is set', () => {
  const settings = readSettings({ DATA_DIR: folder, HOST: '0.0.0.0' });
  expect([settings.host, settings.opsHost, settings.opsUrl]).toEqual(['0.0.0.0', '127.0.0.1', 'http://127.0.0.1:3100']);
  expect(readSettings({ DATA_DIR: folder, OPS_HOST: '::1' }).opsUrl).toBe('http://[::1]:3100');
});

test('a host that listens everywhere is reached at 127.0.0.1', () => {
  expect(readSettings({ DATA_DIR: folder, HOST: '0.0.0.0', PORT: '4100' }).baseUrl).toBe('http://127.0.0.1:4100');
  expect(readSettings({ DATA_DIR: folder, HOST: '::1' }).baseUrl).toBe('http://[::1]:3000');
});

test.each([
  [{ PORT: 'abc' }, 'PORT'],
  [{ OPS_PORT: '65535' }, 'OPS_PORT'],
  [{ REDIS_URL: 'http://127.0.0.1' }, 'REDIS_URL'],
  [{ PORT: '3102' }, 'PORT 3102 is one of the operations ports'],
])('%j is refused', (env, message) => {
  expect(() => readSettings({ DATA_DIR: folder, ...env })).toThrow(UserError);
  expect(() => readSettings({ DATA_DIR: folder, ...env })).toThrow(message);
});

test('one message lists each bad variable of npm start and the services once, before a folder is made', () => {
  const [absent, token] = [path.join(folder, 'absent'), 'the-same-token-for-both-of-them'];
  const bad = {
    LOG_LEVEL: 'loud',
    WAITING_MAX_AGE: '1x',
    CAMPAIGN_RETRY_SCHEDULE: 'x',
    WAITING_MAX_EVENTS: '-1',
    HOST: 'a b',
    PUBLIC_URL: 'notaurl',
    SMTP_FROM: '',
    ADMIN_TOKEN: token,
    OPERATOR_HEADER: 'X-User',
    PORT: '3102',
    RETRY_SHCEDULE: '5s',
  };
  const others = { DATA_DIR: absent, PRODUCER_TOKEN: token, SMTP_URL: 'smtp://mail.example.com', TRUST_PROXY: '1' };
  const lines = Object.keys(bad).map((name) => `\n  - ${name} .*`);
  const read = (): unknown => readSettings({ ...bad, ...others });
  expect(read).toThrow(UserError);
  expect(read).toThrow(new RegExp(`^11 environment variables are not usable:${lines.join('')}$`));
  expect(existsSync(absent)).toBe(false);
  // Without its bad parts, a rule has nothing to say. npm start has a value for PUBLIC_URL.
  expect(() => readSettings({ ...others, PORT: 'x', OPS_PORT: 'x', SMTP_FROM: 'a@b.example' })).toThrow(
    /^2 environment variables/,
  );
});

test.each(['redis://127.0.0.1:7000', 'rediss://redis.example.com', 'redis-cluster://127.0.0.1:7000,127.0.0.1:7001'])(
  'REDIS_URL accepts what the services accept: %s',
  (url) => {
    expect(readSettings({ DATA_DIR: folder, REDIS_URL: url }).redisUrl).toBe(url);
  },
);

describe('stack.json', () => {
  const stack = {
    baseUrl: 'http://127.0.0.1:3000',
    opsUrl: 'http://127.0.0.1:3100',
    redisUrl: 'redis://127.0.0.1:16379',
    producerToken: 'p',
    adminToken: 'a',
    pids: { api: 1 },
  };

  test('is read as it was written, and is readable only by this user', () => {
    writeStackFile(folder, stack);
    expect(readStackFile(folder)).toEqual(stack);
    expect(modeOf(stackFilePath(folder))).toBe(0o600);
    removeStackFile(folder);
    expect(readStackFile(folder)).toBeUndefined();
  });

  test('if it is missing, scripts say what to do', () => {
    expect(() => requireStackFile(folder)).toThrow('Run `npm start` first');
  });
});
