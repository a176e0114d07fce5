import { parseClusterUrl } from './address.ts';

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
