import { producerEvent } from '@mailhook/core';
import { acceptedText, EVENT_TYPES, makeEvents } from './events.ts';

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

test('what was accepted says where to see whether an endpoint takes it', () => {
  const where = 'The page Endpoints of the account shows which of them take';
  expect(acceptedText({ count: 1, type: 'sent' }, 500)).toBe(`1 event accepted in 0.5 s. ${where} sent.`);
  expect(acceptedText({ count: 5000, type: 'campaign-open' }, 2000)).toBe(
    `5000 events accepted in 2.0 s (2,500 a second). ${where} campaign-open.`,
  );
});
