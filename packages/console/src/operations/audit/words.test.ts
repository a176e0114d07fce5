import { spoken } from './words.ts';

test.each([
  ['pause', 'campaign', 'Pause destination', 'campaign', true],
  ['delete destination', 'a', 'Delete destination', 'a', false],
  ['create portal link', 'manage', 'Create portal link', 'to change everything', false],
  ['discard dead letters', 'destination=a discarded=3', 'Discard dead letters', 'destination a, 3 discarded', false],
  ['PUT /queues/alerts/pause', undefined, 'Pause queue', 'alerts', false],
  ['PUT /queues/alerts/17/promote', undefined, 'Promote job', '17 of alerts', false],
  ['PUT /queues/alerts/retry/failed', undefined, 'Retry failed jobs', 'alerts', false],
])('%s of %s is in words: %s %s', (action, object, words, named, isDestination) =>
  expect(spoken({ action, object })).toEqual({ action: words, object: named, isDestination }),
);
