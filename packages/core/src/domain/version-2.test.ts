import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { exampleCampaignEvent, exampleEvent, typeOfEvent } from '../contracts/producer-event.ts';
import type { ProducerEvent } from '../contracts/producer-event.ts';
import { anyEvent } from './arbitrary-events.suite.ts';
import {
  arrayBody,
  batchBody,
  campaignFragment,
  eventsIn,
  fragmentEmail,
  fragmentHash,
  fragmentId,
  fragmentMessageId,
  fragmentType,
  isVersion2,
  keyOfPayload,
  notificationFragment,
  objectOf,
  payloadsOf,
  requestBody,
} from './fragment.ts';
import { identityText } from './event-hash.ts';
import { eventId, version2Fragment } from './version-2.ts';

const digest = (text: string) => createHash('sha256').update(text, 'utf8').digest('base64url');
const fragmentOf = (event: ProducerEvent) => version2Fragment(event, digest);
const parsed = (json: string) => JSON.parse(json) as Record<string, unknown>;

/** What the contract says of a body, by itself. */
function expected(event: ProducerEvent): Record<string, unknown> {
  const { account: _account, ...fields } = event as ProducerEvent & Record<string, unknown>;
  const { name: _name, event: _event, timestamp: _timestamp, hash: _hash, ...rest } = fields;
  const time = event.module === 'campaign' ? event.timestamp : event.time;
  return { ...rest, version: 2, id: eventId(event, digest), event: typeOfEvent(event), time };
}

test('the example of the contract', () => {
  const event = {
    ...exampleEvent('bounce'),
    id: 'evt_8f1c',
    email: 'anna@example.com',
    messageId: 'm-2026-000124',
    time: 1767225611,
    code: '5.1.1',
    smtp: 550,
    cause: 'invalid',
    metadata: { order: '4711' },
    tags: ['receipt'],
  } as const;
  expect(objectOf(fragmentOf(event))).toBe(
    '{"version":2,"id":"evt_8f1c","module":"transactional_email","event":"bounce","time":1767225611,' +
      '"email":"anna@example.com","messageId":"m-2026-000124","type":"hard","reason":"550 5.1.1 no such user",' +
      '"code":"5.1.1","smtp":550,"cause":"invalid","metadata":{"order":"4711"},"tags":["receipt"]}',
  );
});

test('property: every shape carries exactly the accepted fields', () => {
  fc.assert(
    fc.property(anyEvent, fc.integer({ min: 1, max: 999 }), (event, attempt) => {
      const fragment = fragmentOf(event);
      expect(isVersion2(fragment)).toBe(true);
      expect(fragment).not.toContain('\n');
      expect(parsed(objectOf(fragment))).toEqual(expected(event));
      expect(JSON.parse(arrayBody(`${fragment}\n${fragment}`))).toEqual([expected(event), expected(event)]);
      const hash = fragmentHash(fragment);
      expect(JSON.parse(batchBody(fragment, attempt))).toEqual([{ ...expected(event), hash, attempt }]);
      const { id, email = '', messageId = '' } = parsed(objectOf(fragment));
      expect([fragmentId(fragment), fragmentEmail(fragment), fragmentMessageId(fragment)]).toEqual([
        id,
        email,
        messageId,
      ]);
      expect(fragmentType(fragment, event.module === 'campaign' ? 'campaign' : 'transactional')).toBe(
        typeOfEvent(event),
      );
    }),
  );
});

test('a stored text shows the events that its requests carry, and what names them', () => {
  const [one, other] = [exampleCampaignEvent('bounce'), exampleCampaignEvent('open')].map((event, i) =>
    fragmentOf({ ...event, id: `event-${i}`, metadata: { messageId: 'not-this', email: 'not@this.example' } }),
  );
  const text = `${one ?? ''}\n${other ?? ''}`;
  expect(eventsIn(text)).toEqual([one, other]);
  expect(payloadsOf(text, 3, 'array').map(keyOfPayload)).toEqual(['event-0', 'event-1']);
  expect(payloadsOf(text, 3, 'batch')).toMatchObject([
    { attempt: 3 },
    { attempt: 3, hash: digest('event-1').slice(0, 22) },
  ]);
  expect([fragmentEmail(one ?? ''), fragmentMessageId(one ?? '')]).toEqual(['anna@example.com', '']);
});

test.each(['single', 'array', 'batch'] as const)('the body of a request of version 2 has the shape %s', (shape) => {
  const two = [0, 1].map((i) => fragmentOf({ ...exampleEvent('sent'), id: `event-${i}` }));
  const [one = ''] = two;
  const text = two.join('\n');
  const expected = { single: objectOf(one), array: arrayBody(text), batch: batchBody(text, 3) };
  expect(requestBody(shape === 'single' ? one : text, 3, shape)).toBe(expected[shape]);
});

test('the body of a request of version 1 is a notification alone, or a batch of campaign events', () => {
  const notification = notificationFragment(exampleEvent('open'));
  expect(requestBody(`msg_1\n${notification}`, 3, 'single')).toBe(notification);
  const campaign = campaignFragment(exampleCampaignEvent('open'), 'ten-chars-');
  expect(requestBody(campaign, 3, 'batch')).toBe(batchBody(campaign, 3));
});

test('events of the shape single that were never sent may lie in one text', () => {
  const two = [0, 1].map((i) => fragmentOf({ ...exampleEvent('sent'), id: `event-${i}` }));
  expect(payloadsOf(two.join('\n'), 1, 'single').map(keyOfPayload)).toEqual(['event-0', 'event-1']);
});

test('a text of version 1 names its events by hash or message', () => {
  const body = notificationFragment(exampleEvent('open'));
  expect(eventsIn(`msg_1\n${body}`)).toEqual([`msg_1\n${body}`]);
  expect(payloadsOf(`msg_1\n${body}`, 1, 'single').map(keyOfPayload)).toEqual(['m-2026-000123']);
  expect(keyOfPayload({ hash: 'ten-chars-', messageId: 'm' })).toBe('ten-chars-');
  expect(keyOfPayload({})).toBe('');
});

test('version 1 refuses a type that it does not have', () => {
  expect(() => notificationFragment(exampleEvent('sent'))).toThrow(RangeError);
  expect(() => identityText(exampleCampaignEvent('sent'))).toThrow(RangeError);
});

const campaign = exampleCampaignEvent('open');

test.each<[string, Partial<typeof campaign>, string | undefined]>([
  ["the producer's hash", { hash: 'ten-chars-', id: 'another-id-of-it' }, 'ten-chars-'],
  ['an id of 10 characters', { id: '0123456789' }, '0123456789'],
  ['an id of 50 characters', { id: 'i'.repeat(50) }, 'i'.repeat(50)],
  ['a digest of an id of 9 characters', { id: '012345678' }, digest('012345678').slice(0, 22)],
  ['a digest of an id of 51 characters', { id: 'i'.repeat(51) }, digest('i'.repeat(51)).slice(0, 22)],
  ['the id without both', {}, eventId(campaign, digest)],
])('the hash of a batch is %s', (_what, more, hash) => {
  expect(fragmentHash(fragmentOf({ ...campaign, ...more }))).toBe(hash);
});

describe('an id that Mailhook derives', () => {
  it('is the same for the same fields, in any order', () => {
    const custom = { ...exampleEvent('custom'), metadata: { a: '1', b: '2' }, data: { x: { c: 1, d: [2] }, y: 3 } };
    const other = { ...custom, metadata: { b: '2', a: '1' }, data: { y: 3, x: { d: [2], c: 1 } } };
    const shuffled = Object.fromEntries(Object.entries(other).reverse()) as typeof custom;
    expect(eventId(shuffled, digest)).toBe(eventId(custom, digest));
    expect(eventId(custom, digest)).toMatch(/^[\w-]{22}$/);
  });

  it.each<[string, object]>([
    ['account', { account: 'other' }],
    ['email', { email: 'ben@example.com' }],
    ['metadata', { metadata: { order: '1' } }],
    ['tags', { tags: ['a'] }],
    ['machine', { machine: true }],
    ['hash', { hash: 'ten-chars-' }],
    ['timestamp', { timestamp: 5 }],
  ])('differs with another %s', (_field, more) => {
    const other = { ...campaign, ...more } as ProducerEvent;
    expect(eventId(other, digest)).not.toBe(eventId(campaign, digest));
  });

  it('differs by module and type', () => {
    const ids = [campaign, exampleCampaignEvent('sent'), exampleEvent('sent'), exampleEvent('open')].map((event) =>
      eventId(event, digest),
    );
    expect(new Set(ids).size).toBe(4);
  });
});
