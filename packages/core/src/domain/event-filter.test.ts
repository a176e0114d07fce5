import fc from 'fast-check';
import { eventFilter } from '../contracts/event-filter.ts';
import type { EventFilter } from '../contracts/event-filter.ts';
import { exampleCampaignEvent, exampleEvent, typeOfEvent } from '../contracts/producer-event.ts';
import type { ProducerEvent } from '../contracts/producer-event.ts';
import { anyEvent } from './arbitrary-events.suite.ts';
import { compileFilter } from './event-filter.ts';

const open = exampleCampaignEvent('open');
const bounce = exampleEvent('bounce');
const passes = (filter: EventFilter, event: object) => compileFilter(eventFilter.parse(filter))({ ...open, ...event });

test.each<[EventFilter, object, object]>([
  [{ campaigns: ['aaaaaaaaaa', 'bbbbbbbbbb'] }, { campaign: 'bbbbbbbbbb' }, { campaign: 'Bbbbbbbbbb' }],
  [{ tags: ['x', 'y'] }, { tags: ['z', 'y'] }, { tags: ['z', 'X'] }],
  [{ tags: ['x'] }, { tags: ['x'] }, {}],
  [{ domains: ['Example.ORG.'] }, { email: 'a@b@EXAMPLE.org.' }, { email: 'a@sub.example.org' }],
  [{ domains: ['.example.net'] }, { email: 'A@sub.x.Example.NET' }, { email: 'a@notexample.net' }],
  [{ domains: ['.example.net'] }, { email: 'a@example.net' }, { email: 'example.net' }],
  [{ domains: ['bücher.example'] }, { email: 'a@xn--bcher-kva.example' }, { email: 'a@bucher.example' }],
  [{ metadata: { plan: 'pro', a: '' } }, { metadata: { plan: 'pro', a: '', x: '1' } }, { metadata: { plan: 'pro' } }],
  [{ machine: 'never' }, {}, { machine: true }],
  [{ machine: 'never' }, { machine: false }, { machine: true }],
  [{ machine: 'only' }, { machine: true }, {}],
  [{ first: true }, { first: true }, { first: false }],
  [{ bounce: 'hard' }, bounce, { ...bounce, type: 'soft' }],
  [{ labels: ['a', 'b'] }, exampleEvent('custom'), exampleEvent('custom')],
])('%j lets one event pass and not another', (filter, one, other) => {
  const labelled = 'labels' in filter ? [{ label: 'b' }, { label: 'c' }] : [{}, {}];
  expect(passes(filter, { ...one, ...labelled[0] })).toBe(true);
  expect(passes(filter, { ...other, ...labelled[1] })).toBe(false);
});

test('bounce, machine, first and labels do not judge types without their field', () => {
  const filter = { bounce: 'hard', machine: 'only', first: true, labels: ['x'] } satisfies EventFilter;
  const judged = compileFilter(filter);
  expect(judged(exampleCampaignEvent('unsubscribe'))).toBe(true);
  expect(judged(exampleEvent('suppression'))).toBe(true);
});

test('an event that has not the field does not pass', () => {
  for (const filter of [{ tags: ['x'] }, { metadata: { a: 'b' } }, { domains: ['example.com'] }, { campaigns: ['c'] }])
    expect(compileFilter(filter as EventFilter)(exampleEvent('open'))).toBe(false);
});

/** The contract once more, without sets. */
function plainly(filter: EventFilter, event: ProducerEvent): boolean {
  const fields = event as ProducerEvent & Readonly<Record<string, unknown>>;
  const isTracked = ['open', 'click'].includes(typeOfEvent(event));
  const domain = event.email?.includes('@') === true ? event.email.replace(/^.*@/s, '').toLowerCase() : undefined;
  const { campaigns, tags, domains, metadata, bounce: kind, machine, first, labels } = filter;
  return [
    campaigns === undefined || campaigns.some((one) => one === fields['campaign']),
    tags === undefined || tags.some((one) => event.tags?.includes(one) === true),
    domains === undefined ||
      domains.some((one) => one === domain || (one.startsWith('.') && `.${domain ?? ''}`.endsWith(one))),
    metadata === undefined || Object.keys(metadata).every((name) => event.metadata?.[name] === metadata[name]),
    kind === undefined || typeOfEvent(event) !== 'bounce' || fields['type'] === kind,
    machine === undefined || !isTracked || (fields['machine'] === true) === (machine === 'only'),
    first === undefined || !isTracked || fields['first'] === true,
    labels === undefined || typeOfEvent(event) !== 'custom' || labels.some((one) => one === fields['label']),
  ].every(Boolean);
}

test('property: a filter decides as its rules say, one by one', () => {
  const word = fc.constantFrom('a', 'b', 'c');
  const words = fc.uniqueArray(word, { minLength: 1 });
  const filter = fc.record(
    {
      campaigns: words,
      tags: words,
      domains: fc.uniqueArray(fc.constantFrom('a.b', '.a.b', 'c.a.b', '.b.c'), { minLength: 1 }),
      metadata: fc.dictionary(word, word, { minKeys: 1 }),
      bounce: fc.constantFrom('hard', 'soft'),
      machine: fc.constantFrom('never', 'only'),
      first: fc.constant(true),
      labels: words,
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<EventFilter>;
  const own = fc.record(
    {
      campaign: word,
      tags: fc.array(word),
      email: fc.constantFrom('x@a.b', 'x@c.a.b', 'x@a.b.c', 'xa.b', 'x@B.C'),
      metadata: fc.dictionary(word, word),
      machine: fc.boolean(),
      first: fc.boolean(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(filter, anyEvent, own, word, fc.constantFrom('hard', 'soft'), (given, any, fields, label, type) => {
      const { campaign, ...others } = fields;
      const ofType = { ...('label' in any && { label }), ...('type' in any && { type }) };
      const ofModule = any.module === 'campaign' && campaign !== undefined ? { campaign } : {};
      const event = { ...any, ...others, ...ofType, ...ofModule } as ProducerEvent;
      expect(compileFilter(given)(event)).toBe(plainly(given, event));
    }),
    { numRuns: 1000 },
  );
});

test.each<[string, object, string[]]>([
  ['an empty list', { tags: [] }, ['tags']],
  ['an unknown key', { tag: ['a'] }, ['']],
  ['a domain with an @', { domains: ['ok.example', 'a@b.example'] }, ['domains.1']],
  ['a single label', { domains: ['example'] }, ['domains.0']],
  ['a wildcard', { domains: ['*.example.com'] }, ['domains.0']],
  ['21 tags', { tags: Array.from({ length: 21 }, (_, i) => `${i}`) }, ['tags']],
  ['six keys of metadata', { metadata: { a: '', b: '', c: '', d: '', e: '', f: '' } }, ['metadata']],
  ['no key of metadata', { metadata: {} }, ['metadata']],
  ['first: false', { first: false }, ['first']],
  ['more than 4 KiB', { tags: Array.from({ length: 20 }, (_, i) => `${i}`.padEnd(128, '"')) }, ['']],
])('refuses %s', (_what, filter, paths) => {
  expect(eventFilter.safeParse(filter).error?.issues.map(({ path }) => path.join('.'))).toEqual(paths);
});
