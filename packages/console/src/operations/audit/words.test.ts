import { spoken } from './words.ts';

test.each([
  ['pause', 'campaign', 'Pause destination', 'campaign', true],
  ['delete destination', 'a', 'Delete destination', 'a', false],
  ['create portal link', 'manage', 'Create portal link', 'to change everything', false],
  ['discard dead letters', 'destination=a discarded=3', 'Discard dead letters', 'destination a, 3 discarded', false],
  [
    'redrive dead letters',
    'host=a.example:9 redriven=3',
    'Redrive dead letters',
    'host a.example:9, 3 redriven',
    false,
  ],
  [
    'discard dead letters',
    'destination=a events=3 cause=HTTP 503',
    'Discard dead letters',
    'destination a, 3 events: HTTP 503',
    false,
  ],
  ['probe', 'a', 'Try one event now', 'a', true],
  ['probe failing receivers', 'a.example', 'Try all now', 'a.example', false],
  ['PUT /queues/alerts/pause', undefined, 'Pause queue', 'alerts', false],
  ['PUT /queues/alerts/17/promote', undefined, 'Promote job', '17 of alerts', false],
  ['PUT /queues/alerts/retry/failed', undefined, 'Retry failed jobs', 'alerts', false],
])('%s of %s is in words: %s %s', (action, object, words, named, isDestination) =>
  expect(spoken({ action, object })).toEqual({ action: words, object: named, isDestination }),
);

test.each([
  ['operations page', 'Open as customer'],
  ['admin API', 'Create portal link'],
] as const)('a portal link by the %s is in words: %s', (via, action) =>
  expect(spoken({ action: 'create portal link', object: 'read', via })).toMatchObject({
    action,
    object: 'to see everything',
  }),
);
