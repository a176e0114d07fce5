import { EVENT_TYPES } from './event-types.ts';
import { exampleCampaignEvent, exampleEvent, validateEvent } from './producer-event.ts';

const bounce = { ...exampleEvent('bounce'), ...EVENT_TYPES.bounce.example };
const custom = exampleEvent('custom');
const levels = (depth: number): object => (depth === 1 ? { end: 1 } : { next: levels(depth - 1) });
const keys = (count: number, value = 'x') =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]));
const parsed = (json: string): unknown => JSON.parse(json);

test.each<[string, object, string[]]>([
  ['21 keys of metadata', { ...bounce, metadata: keys(21) }, ['metadata']],
  [
    '4,097 bytes of metadata',
    { ...bounce, metadata: { ...keys(8, 'x'.repeat(500)), more: 'x'.repeat(40) } },
    ['metadata'],
  ],
  ['a number in metadata', { ...bounce, metadata: { n: 5, ok: 'x' } }, ['metadata.n']],
  ['an object in metadata', { ...bounce, metadata: { n: { a: 1 } } }, ['metadata.n']],
  ['a list in metadata', { ...bounce, metadata: { n: ['a'] } }, ['metadata.n']],
  ['a value of 501 characters', { ...bounce, metadata: { n: 'x'.repeat(501) } }, ['metadata.n']],
  ['a key of 65 characters', { ...bounce, metadata: { ['k'.repeat(65)]: 'x' } }, [`metadata.${'k'.repeat(65)}`]],
  ['a key with a space', { ...bounce, metadata: { 'a b': 'x' } }, ['metadata.a b']],
  ['__proto__', { ...bounce, metadata: parsed('{"__proto__":"x"}') }, ['metadata.__proto__']],
  ['constructor', { ...bounce, metadata: { constructor: 'x' } }, ['metadata.constructor']],
  ['__proto__ of null', { ...bounce, metadata: parsed('{"__proto__":null}') }, ['metadata.__proto__']],
  ['half a surrogate pair in metadata', { ...bounce, metadata: { n: '\ud800' } }, ['metadata.n']],
  ['metadata that is a text', { ...bounce, metadata: 'x' }, ['metadata']],
  ['a tag of 129 characters', { ...bounce, tags: ['ok', 'x'.repeat(129)] }, ['tags.1']],
  ['an empty tag', { ...bounce, tags: ['ok', ''] }, ['tags.1']],
  ['11 tags', { ...bounce, tags: Array.from({ length: 11 }, (_, i) => `t${i}`) }, ['tags']],
  ['a tag that is null', { ...bounce, tags: [null] }, ['tags.0']],
  ['tags that are a text', { ...bounce, tags: 'a' }, ['tags']],
  ['a wrong code', { ...bounce, code: '9.1.1' }, ['code']],
  ['a code as number', { ...bounce, code: 550 }, ['code']],
  ['a wrong SMTP status', { ...bounce, smtp: 600 }, ['smtp']],
  ['a wrong cause', { ...bounce, cause: 'angry' }, ['cause']],
  ['an empty email', { ...bounce, email: '' }, ['email']],
  ['a time to come in milliseconds', { ...exampleEvent('deferred'), nextTry: 1_700_000_000_000 }, ['nextTry']],
  ['a machine that is a text', { ...exampleEvent('open'), machine: 'yes' }, ['machine']],
  ['no label', { ...custom, label: undefined }, ['label']],
  ['a label with a space', { ...custom, label: 'a b' }, ['label']],
  ['data of 2,049 bytes', { ...custom, data: { text: 'ż'.repeat(1020) } }, ['data']],
  ['data of 9 levels', { ...custom, data: levels(9) }, ['data']],
  ['data that is an array', { ...custom, data: [1] }, ['data']],
  ['__proto__ in data', { ...custom, data: parsed('{"a":[{"__proto__":1}]}') }, ['data.a.0.__proto__']],
  ['half a surrogate pair in data', { ...custom, data: { a: '\udfff' } }, ['data.a']],
  ['a number in data that loses digits', { ...custom, data: { a: [parsed('-9007199254740993')] } }, ['data.a.0']],
  ['a number in data that would become null', { ...custom, data: { a: parsed('1e400') } }, ['data.a']],
  ['half a surrogate pair as a key of data', { ...custom, data: { a: { '\ud800': 1 } } }, ['data.a']],
  ['a complaint without email', { ...exampleEvent('complaint'), email: undefined }, ['email']],
  ['a delivery without messageId', { ...exampleEvent('delivered'), messageId: null }, ['messageId']],
  ['a suppression without action', { ...exampleEvent('suppression'), action: null }, ['action']],
  ['a campaign event without email', { ...exampleCampaignEvent('custom'), email: null }, ['email']],
])('refuses %s and names its place', (_what, event, paths) => {
  const result = validateEvent(event);
  expect('errors' in result && result.errors.map(({ path }) => path.join('.'))).toEqual(paths);
});

test('takes the largest values', () => {
  const metadata = keys(20, 'x'.repeat(190));
  const tags = Array.from({ length: 10 }, (_, i) => `${i}`.padEnd(128, 'x'));
  const data = { text: 'x'.repeat(2037) };
  const event = { ...custom, metadata, tags, data, label: 'x'.repeat(100) };
  expect(validateEvent(event)).toEqual({ value: event });
  expect(validateEvent({ ...custom, data: levels(8) })).toMatchObject({ value: { data: levels(8) } });
});

test('takes null, [] and {} for an absent field, and leaves data as it is', () => {
  const empty = { id: null, metadata: {}, tags: [], cause: null, code: null, smtp: null };
  expect(validateEvent({ ...exampleEvent('bounce'), ...empty })).toEqual({ value: exampleEvent('bounce') });
  const bare = exampleEvent('suppression');
  expect(validateEvent({ ...bare, messageId: null, list: null })).toEqual({ value: bare });
  expect(validateEvent({ ...custom, data: {}, metadata: { a: null } })).toEqual({ value: custom });
  for (const empty of [null, [], {}]) {
    expect(validateEvent({ ...custom, metadata: empty })).toEqual({ value: custom });
    expect(validateEvent({ ...custom, metadata: { a: empty } })).toEqual({ value: custom });
    const kept = { value: { ...custom, metadata: { b: '' } } };
    expect(validateEvent({ ...custom, metadata: { a: empty, b: '' } })).toEqual(kept);
  }
  const data = { a: null, b: [], c: {}, d: '' };
  expect(validateEvent({ ...custom, data })).toEqual({ value: { ...custom, data } });
});

test('keeps a repeated tag once', () => {
  const tags = [...Array.from({ length: 10 }, (_, i) => `t${i}`), 't3', 't0'];
  expect(validateEvent({ ...bounce, tags })).toMatchObject({ value: { tags: tags.slice(0, 10) } });
});
