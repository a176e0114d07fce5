import { isRedisUrl, parseClusterUrl, parseSentinelUrl } from './address.ts';

test.each([
  ['redis-cluster://one', [{ host: 'one', port: 6379 }]],
  [
    'redis-cluster://one:7000,10.0.0.2,[fd00::3]:7002/',
    [
      { host: 'one', port: 7000 },
      { host: '10.0.0.2', port: 6379 },
      { host: 'fd00::3', port: 7002 },
    ],
  ],
])('reads the nodes in %s', (url, nodes) => {
  expect(parseClusterUrl(url)).toEqual({ nodes, isTls: false, username: undefined, password: undefined });
});

test('reads TLS, user and password', () => {
  const [username, password] = ['mail', 'p@ss,1'];
  const credentials = { isTls: true, username, password };
  expect(parseClusterUrl('rediss-cluster://mail:p%40ss%2C1@one:7000')).toMatchObject(credentials);
  expect(parseClusterUrl('redis-cluster://:secret@one')).toMatchObject({ username: undefined, password: 'secret' });
});

test.each([
  'redis://one:6379',
  'redis-cluster://',
  'redis-cluster://one,,two',
  'redis-cluster://one:70000',
  'redis-cluster://one/3',
  'redis-cluster://a:%zz@one',
  'one,two',
])('refuses %s', (url) => {
  expect(parseClusterUrl(url)).toBeUndefined();
});

describe('addresses of sentinels', () => {
  const none = { username: undefined, password: undefined, sentinelUsername: undefined, sentinelPassword: undefined };

  test('name the sentinels, the master and the database', () => {
    expect(parseSentinelUrl('redis-sentinel://one,10.0.0.2:26380,[fd00::3]/mymaster/3')).toEqual({
      nodes: [
        { host: 'one', port: 26_379 },
        { host: '10.0.0.2', port: 26_380 },
        { host: 'fd00::3', port: 26_379 },
      ],
      name: 'mymaster',
      db: 3,
      isTls: false,
      ...none,
    });
  });

  test('may have TLS, and credentials of Redis and of the sentinels', () => {
    const url =
      'rediss-sentinel://mail:p%40ss@one:26379/mymaster?sentinelPassword=a+b%26c&sentinelUsername=mailhook-sentinel';
    expect(parseSentinelUrl(url)).toMatchObject({
      isTls: true,
      db: 0,
      username: 'mail',
      password: 'p@ss',
      sentinelUsername: 'mailhook-sentinel',
      sentinelPassword: 'a+b&c',
    });
  });

  test.each([
    'redis-sentinel://one',
    'redis-sentinel://one/',
    'redis-sentinel://one,,two/mymaster',
    'redis-sentinel://one/mymaster/first',
    'redis-sentinel://one/mymaster?password=x',
    'redis-sentinel://one/mymaster?sentinelPassword=%zz',
    'redis://one/mymaster',
  ])('cannot be %s', (url) => {
    expect(parseSentinelUrl(url)).toBeUndefined();
    expect(isRedisUrl(url)).toBe(false);
  });
});
