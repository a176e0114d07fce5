import { producerEvent } from '@mailhook/core';
import { EVENT_TYPES, makeEvents } from './events.ts';

const options = { account: 'account-1', hasIds: true, run: 'run4567890' };

test.each(EVENT_TYPES)('%s events are valid and all different, and have ids', (type) => {
  const make = makeEvents({ ...options, type });
  const events = [...make(0, 300), ...make(300, 300)];
  for (const event of events) expect(producerEvent.safeParse(event)).toMatchObject({ success: true });
  expect(new Set(events.map(({ id }) => id)).size).toBe(600);
  expect(new Set(events.map((event) => JSON.stringify({ ...event, id: undefined, timestamp: 0, time: 0 }))).size).toBe(
    600,
  );
});

test('events have ids only if requested', () => {
  expect(makeEvents({ ...options, hasIds: false, type: 'open' })(0, 1)[0]).not.toHaveProperty('id');
});
