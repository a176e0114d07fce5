import { commonEnvironment, deliveryEnvironment, egressEnvironment, intakeEnvironment } from './environments.ts';
import { readProcessEnvironment } from './process-environment.ts';
import { ConfigError, describeEnvironment, readConfig } from './read-config.ts';
import {
  choice,
  cidrList,
  color,
  durationMs,
  flag,
  integer,
  mongoUrl,
  optional,
  originList,
  port,
  portList,
  proxyTrust,
  proxyUrl,
  scheduleMs,
  secret,
  signingSecret,
  url,
} from './variable-types.ts';

const everything = { ...commonEnvironment, ...egressEnvironment, ...deliveryEnvironment, ...intakeEnvironment };

/** The message of the `ConfigError` that `readConfig` throws. */
function faultsOf(shape: Parameters<typeof readConfig>[0], env: NodeJS.ProcessEnv): string {
  try {
    readConfig(shape, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
  }
  throw new Error('the environment was taken');
}

describe('readConfig', () => {
  test('returns the documented defaults', () => {
    expect(readConfig(everything, {})).toEqual({
      OPS_HOST: '127.0.0.1',
      REDIS_URL: 'redis://127.0.0.1:6379',
      QUEUE_PREFIX: 'mailhook',
      QUEUE_SHARDS: 1,
      LOG_LEVEL: 'info',
      OTEL_SDK_DISABLED: 'false',
      DELIVERY_TIMEOUT_MS: 5000,
      ALLOW_PRIVATE_DESTINATIONS: false,
      DESTINATION_ALLOW_CIDRS: [],
      DESTINATION_DENY_CIDRS: [],
      NAT64_PREFIXES: [],
      DESTINATION_DENIED_PORTS: [25, 465, 587, 2375, 2376, 2379, 2380, 6379, 10250, 10255, 11211, 26379, 27017],
      RETRY_SCHEDULE: [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 28_800].map((seconds) => seconds * 1000),
      RETRY_JITTER: 0.2,
      BREAKER_FAILURES: 5,
      BREAKER_PARK_MAX: 300_000,
      CAMPAIGN_BATCH_MAX: 1000,
      POISON_SPLIT: true,
      WAITING_MAX_AGE: 3 * 86_400_000,
      EVENT_ID_WINDOW: 86_400_000,
      IDLE_CONNECTION_MAX: 90_000,
      IN_FLIGHT_BYTES_MAX: undefined,
      REPLY_EXCERPT_BYTES: 512,
      PARTIAL_ACK: 'unconfirmed',
      WAITING_MAX_EVENTS: 2_000_000,
      INTAKE_DURABILITY: 'memory',
      WAITING_MAX_BYTES: 1_000_000_000,
    });
  });

  test('treats an empty variable as absent, and ignores an unknown one', () => {
    expect(readConfig({ A: integer(7, { min: 1, max: 9 }) }, { A: '', B: 'x' })).toEqual({ A: 7 });
  });

  test('lists every bad and missing variable in one message, with the fix and without secrets', () => {
    const message = faultsOf(
      { ...commonEnvironment, ADMIN_TOKEN: secret(), ...egressEnvironment, ...deliveryEnvironment },
      {
        ADMIN_TOKEN: 'my secret',
        REDIS_URL: 'http://user:hunter2@redis',
        RETRY_JITTER: '2',
        PARTIAL_ACK: 'some',
      },
    );
    expect(message.split('\n')).toEqual([
      '4 environment variables are not usable:',
      '  - REDIS_URL is "http://***@redis", but must be redis://host:port or redis://host:port/database-number, ' +
        'for a cluster redis-cluster://host:port,host:port, or for sentinels ' +
        'redis-sentinel://host:26379,host:26379/master-name (with TLS rediss); write # / ? and @ in a password as ' +
        '%23 %2F %3F and %40; leave it out for the default redis://127.0.0.1:6379',
      '  - ADMIN_TOKEN is (value not shown), but must be at least 24 printable ASCII characters without spaces',
      '  - RETRY_JITTER is "2", but must be a number from 0 to 1; leave it out for the default 0.2',
      '  - PARTIAL_ACK is "some", but must be one of unconfirmed, batch; leave it out for the default unconfirmed',
    ]);
    expect(faultsOf({ ADMIN_TOKEN: secret().describe('Token of the admin API') }, {})).toBe(
      'One environment variable is not usable:\n  - ADMIN_TOKEN is missing: set it (Token of the admin API)',
    );
  });

  test.each([
    [
      'a duration',
      durationMs(),
      { '250ms': 250, '5s': 5000, '2m': 120_000, ' 1h ': 3_600_000, '3d': 259_200_000 },
      ['5', '5 s', '-1s', '1y', 's'],
    ],
    ['a schedule', scheduleMs(), { '5s': [5000], '5s, 1m': [5000, 60_000] }, ['5s,', ',', '5s;1m']],
    [
      'a flag',
      flag(false),
      { true: true, FALSE: false, '1': true, '0': false, yes: true, off: false },
      ['2', 'ja', 'constructor'],
    ],
    [
      'an integer',
      integer(undefined, { min: 1, max: 10 }),
      { '1': 1, '10': 10 },
      ['0', '11', '1.5', '1e1', '0x1', 'one', '-1'],
    ],
    ['a port', port(), { '0': 0, '65535': 65_535 }, ['65536', '-1', 'http']],
    [
      'networks',
      cidrList(),
      { '10.0.0.0/8, fd00::/8': ['10.0.0.0/8', 'fd00::/8'], '10.0.0.1': ['10.0.0.1/32'], '::1': ['::1/128'] },
      ['10.0.0.0/33', '10.0.0', 'x'],
    ],
    [
      'the proxies that are trusted',
      proxyTrust(),
      { '2': 2, '10.0.0.0/8, ::1': ['10.0.0.0/8', '::1/128'], '192.0.2.1': ['192.0.2.1/32'] },
      ['true', '0', '33', 'loopback', '1,2'],
    ],
    ['ports', portList(), { '25': [25], '25, 6379': [25, 6379] }, ['0', '25,', '70000']],
    [
      'origins',
      originList(),
      {
        'https://app.example.com': ['https://app.example.com'],
        'https://a.example:8443/, http://localhost:3000': ['https://a.example:8443', 'http://localhost:3000'],
      },
      ['app.example.com', 'https://app.example.com/x', 'https://*.example.com', '*', 'https://a.example,', 'ftp://a.b'],
    ],
    ['a color', color(), { '#0A7CFF': '#0a7cff' }, ['0a7cff', '#fff', 'red', '#0a7cfg']],
    [
      'a url',
      url(),
      { 'https://example.com/x': 'https://example.com/x' },
      ['example.com', 'ftp://example.com', 'http://'],
    ],
    [
      'an outgoing proxy',
      proxyUrl(),
      Object.fromEntries(
        ['http://proxy.example:3128', 'https://us%20er:p%40ss@10.0.0.1/', 'http://proxy'].map((one) => [one, one]),
      ),
      ['proxy:3128', 'socks5://proxy:1080', 'http://proxy/path', 'http://proxy?x=1', 'http://u:%ff@proxy', 'http://'],
    ],
    ['a choice', choice(['a', 'b']), { a: 'a', b: 'b' }, ['c', 'A', 'a,b']],
    ['an optional duration', optional(durationMs()), { '5s': 5000 }, ['x']],
  ])('reads %s', (_name, variable, good, bad) => {
    for (const [text, value] of Object.entries(good)) expect(readConfig({ V: variable }, { V: text }).V).toEqual(value);
    for (const text of bad) expect(faultsOf({ V: variable }, { V: text })).toContain('V is ');
  });
});

test('an endpoint for traces must be a URL, and is reported with the other faults', () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317', LOG_LEVEL: 'loud' };
  expect(faultsOf(commonEnvironment, env)).toContain(
    'OTEL_EXPORTER_OTLP_ENDPOINT is "collector:4317", but must be a URL that starts with http:// or https://',
  );
  expect(faultsOf(commonEnvironment, env)).toContain('LOG_LEVEL is "loud"');
  expect(readConfig(commonEnvironment, {}).OTEL_EXPORTER_OTLP_ENDPOINT).toBeUndefined();
});

test('a password that makes an address invalid is not shown', () => {
  const shape = { EGRESS_PROXY_URL: proxyUrl() };
  for (const password of ['hunter2/x', 'hunter2@x', 'hunter2#x', 'hunter2 x'])
    expect(faultsOf(shape, { EGRESS_PROXY_URL: `ftp://user:${password}@proxy` })).toContain(
      'EGRESS_PROXY_URL is "ftp://***@proxy", but must be http://host:port or https://host:port',
    );
});

test('a signing secret is whsec_ and the base64 of 24 to 64 bytes, and is not shown', () => {
  const shape = { OPERATIONS_WEBHOOK_SECRET: optional(signingSecret()).meta({ secret: true }) };
  const secretOf = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 'k').toString('base64')}`;
  for (const value of [secretOf(24), secretOf(32), secretOf(64)])
    expect(readConfig(shape, { OPERATIONS_WEBHOOK_SECRET: value })).toEqual({ OPERATIONS_WEBHOOK_SECRET: value });
  expect(readConfig(shape, {})).toEqual({});
  for (const value of [secretOf(23), secretOf(65), 'whsec_', secretOf(24).slice(6), `${secretOf(24)}-`])
    expect(faultsOf(shape, { OPERATIONS_WEBHOOK_SECRET: value })).toMatch(
      /OPERATIONS_WEBHOOK_SECRET is \(value not shown\), but must be whsec_ and the base64 of 24 to 64 random bytes/,
    );
});

test('a secret has at least 24 characters', () => {
  const shape = { ADMIN_TOKEN: secret(), PRODUCER_TOKEN: secret() };
  const long = 'abcdefgh'.repeat(3);
  expect(readConfig(shape, { ADMIN_TOKEN: long, PRODUCER_TOKEN: long })).toEqual({
    ADMIN_TOKEN: long,
    PRODUCER_TOKEN: long,
  });
  const faults = faultsOf(shape, { ADMIN_TOKEN: 'x'.repeat(23), PRODUCER_TOKEN: 'two words, and long enough' });
  for (const name of ['ADMIN_TOKEN', 'PRODUCER_TOKEN'])
    expect(faults).toContain(`${name} is (value not shown), but must be at least 24 printable ASCII characters`);
});

describe('describeEnvironment', () => {
  test('every variable has a description, and a default unless it is optional', () => {
    const rows = describeEnvironment(everything);
    expect(rows.map(({ name }) => name)).toEqual(Object.keys(everything));
    expect(rows.filter(({ description }) => description.length < 10)).toEqual([]);
    expect(rows.filter(({ required }) => required).map(({ name }) => name)).toEqual([]);
    expect(rows.find(({ name }) => name === 'RETRY_SCHEDULE')?.default).toBe('5s,30s,2m,10m,30m,1h,2h,4h,8h,8h');
  });

  test('every default is a valid value', () => {
    const env = Object.fromEntries(describeEnvironment(everything).map((row) => [row.name, row.default]));
    expect(readConfig(everything, env)).toEqual(readConfig(everything, {}));
  });
});

test('readProcessEnvironment never throws', () => {
  expect(readProcessEnvironment({})).toEqual({ logLevel: 'info', isSupervised: false });
  expect(readProcessEnvironment({ LOG_LEVEL: 'loud', MAILHOOK_SUPERVISED: '1' })).toEqual({
    logLevel: 'info',
    isSupervised: true,
  });
  expect(readProcessEnvironment({ LOG_LEVEL: 'debug' }).logLevel).toBe('debug');
});

describe('mongoUrl', () => {
  const read = (text: string) => readConfig({ MONGO_URL: mongoUrl() }, { MONGO_URL: text }).MONGO_URL;

  test.each([
    'mongodb://mongo:27017/mailhook',
    'mongodb://one:27017,two:27017,three/mailhook?replicaSet=rs0',
    'mongodb://user:p%40ss@one:27017,two:27017/mailhook?replicaSet=rs0&authSource=admin',
    'mongodb+srv://user:secret@cluster.example.com/mailhook',
  ])('accepts %s', (text) => {
    expect(read(text)).toBe(text);
  });

  test.each(['mongo', 'http://mongo', 'mongodb://', 'mongodb://one,,two/mailhook', 'mongodb://one:port/mailhook'])(
    'refuses %s',
    (text) => {
      expect(() => read(text)).toThrow('for a replica set mongodb://host:port,host:port');
    },
  );
});
