import type { Facts } from './facts.ts';
import { judge } from './findings.ts';

/** What preflight says of an installation whose api reports these values of the event log. */
function judged(values: Readonly<Record<string, number>>, more: Partial<Facts> = {}): ReturnType<typeof judge> {
  const series = Object.entries(values).map(([name, value]) => ({
    metric: `mailhook_event_log_${name}`,
    labels: new Map<string, string>(),
    value,
  }));
  const facts: Facts = {
    targets: {
      opsUrls: ['http://127.0.0.1:1'],
      publicUrl: 'http://127.0.0.1:2',
      redisUrl: undefined,
      adminToken: undefined,
      producerToken: undefined,
    },
    services: [{ url: 'http://127.0.0.1:1', fault: undefined, notReady: [], series, publicAddresses: [] }],
    guessedTokens: [],
    accountsStatus: undefined,
    reported: undefined,
    publicPort: { fault: undefined, unsignedStatus: 401, documentedUrl: undefined, leaks: [] },
    redis: undefined,
    ...more,
  };
  return judge(facts);
}

const findingsOf = (values: Readonly<Record<string, number>>): readonly string[] =>
  judged(values)
    .filter(({ check }) => check.includes('event log'))
    .map(({ verdict, found }) => `${verdict}: ${found}`);

test.each([
  [{}, []],
  [{ store_usable: 0 }, ['fail: it does not']],
  [
    { store_usable: 1, free_bytes: 2 ** 20, clock_skew_seconds: -4000, keeps_deleted: 0 },
    ['warn: 0.0 GiB free', 'pass: no versions, no lock', 'fail: 4000.0 s apart'],
  ],
  [
    { store_usable: 1, clock_skew_seconds: 0.4, keeps_deleted: 1 },
    ['pass: a bucket', 'warn: versions or a lock keep it', 'pass: 0.4 s apart'],
  ],
  [{ store_usable: 1, clock_skew_seconds: 0 }, ['pass: a bucket', 'unknown: it does not say', 'pass: 0.0 s apart']],
])('an event log with %j', (values, found) => {
  expect(findingsOf(values)).toEqual(found);
});

test('a fix is about what failed', () => {
  const targets = {
    opsUrls: ['http://127.0.0.1:1'],
    publicUrl: 'http://127.0.0.1:2',
    redisUrl: 'redis://127.0.0.1:3',
    adminToken: 'wrong',
    producerToken: undefined,
  };
  const fixesOf = (more: Partial<Facts>) =>
    new Map(judged({}, { targets, ...more }).map(({ check, fix = '' }) => [check, fix]));
  const away = fixesOf({ redis: 'NOAUTH Authentication required' });
  // It was given, so nobody must give it again.
  expect([...away.values()].filter((fix) => /^give --(redis-url|admin-token)/.test(fix))).toEqual([]);
  expect(away.get('one version everywhere')).not.toContain('upgrade');
  expect(away.get('the clocks of http://127.0.0.1:1 and Redis agree')).toBe('see that it is ready');
  const store = 'accounts and subscriptions can be read';
  expect(away.get(store)).toBe('start it, or correct --ops-url');
  expect(fixesOf({ accountsStatus: 429 }).get(store)).toBe('give the one that the api has');
  expect(fixesOf({ accountsStatus: 503 }).get(store)).toBe('see that the api is ready');
});
