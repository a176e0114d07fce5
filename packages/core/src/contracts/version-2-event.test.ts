import { batchBody, objectOf } from '../domain/fragment.ts';
import { sampleEvent } from '../domain/sample-event.ts';
import { version2Fragment } from '../domain/version-2.ts';
import { typesOf } from './event-types.ts';
import { validateEvent } from './producer-event.ts';
import { version2Event, version2Events } from './version-2-event.ts';

const ID = 'test-1234567890';

describe.each(['transactional_email', 'campaign'] as const)('a sample of %s', (module) => {
  it.each(typesOf(module))('of the type %s is a valid event, and its body is one of version 2', (type) => {
    const event = sampleEvent(module, type, ID, 1_767_225_600_000);
    expect(validateEvent(event)).toMatchObject({ value: { id: ID, messageId: ID } });
    const fragment = version2Fragment(event, () => 'digest');
    const body: unknown = JSON.parse(objectOf(fragment));
    expect(version2Event.parse(body)).toEqual(body);
    expect(version2Events.parse(JSON.parse(batchBody(fragment, 3)))).toMatchObject([{ id: ID, hash: ID, attempt: 3 }]);
  });
});

test('receivers take fields, and words of lists, that are not known yet', () => {
  const event = { version: 2, id: ID, module: 'campaign', event: 'complaint', time: 1, feedbackType: 'new', more: [1] };
  expect(version2Event.parse(event)).toEqual(event);
  expect(version2Event.safeParse({ ...event, event: 'bounce', type: 'other', reason: '' }).success).toBe(false);
});
