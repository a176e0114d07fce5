import fc from 'fast-check';
import { campaignBatch } from '../contracts/campaign-batch.ts';
import { notification } from '../contracts/notification.ts';
import { anyCampaignEvent, anyHash, anyTransactionalEvent, without } from './arbitrary-events.suite.ts';
import {
  FRAGMENT_SEPARATOR,
  batchBody,
  bodyBytes,
  campaignFragment,
  eventKeyText,
  fragmentEmail,
  fragmentHash,
  fragmentHashes,
  fragmentMessageId,
  fragmentType,
  notificationFragment,
  payloadsOf,
} from './fragment.ts';

const CLICK = {
  account: 'acc',
  module: 'campaign',
  event: 'click',
  campaign: 'c0ffee1234',
  email: 'ann@example.com',
  timestamp: 1_700_000_000,
  url: 'https://example.com/?q="x"',
} as const;

const anyBatch = fc.array(fc.tuple(anyCampaignEvent, anyHash), { minLength: 1, maxLength: 6 });
const joined = (events: readonly (readonly [Parameters<typeof campaignFragment>[0], string])[]) =>
  events.map(([event, hash]) => campaignFragment(event, hash)).join(FRAGMENT_SEPARATOR);

describe('batchBody', () => {
  it('is a valid JSON array of campaign events', () => {
    const fragments = joined([
      [CLICK, 'hash-of-click'],
      [
        {
          account: 'acc',
          module: 'campaign',
          event: 'open',
          campaign: 'c0ffee1234',
          email: 'bob@example.com',
          timestamp: 1,
        },
        'hash-of-open',
      ],
    ]);
    const body: unknown = JSON.parse(batchBody(fragments, 2));
    expect(campaignBatch.parse(body)).toEqual(body);
    expect(body).toEqual([
      {
        hash: 'hash-of-click',
        event: 'click',
        campaign: 'c0ffee1234',
        email: 'ann@example.com',
        timestamp: 1_700_000_000,
        url: 'https://example.com/?q="x"',
        attempt: 2,
      },
      {
        hash: 'hash-of-open',
        event: 'open',
        campaign: 'c0ffee1234',
        email: 'bob@example.com',
        timestamp: 1,
        attempt: 2,
      },
    ]);
  });

  it('property: parses to exactly the events with `attempt`', () => {
    fc.assert(
      fc.property(anyBatch, fc.integer({ min: 1, max: 1000 }), (events, attempt) => {
        const expected = events.map(([event, hash]) => {
          return { ...without(event, 'account', 'module'), hash, attempt };
        });
        expect(JSON.parse(batchBody(joined(events), attempt))).toEqual(expected);
      }),
    );
  });

  it('differs between two attempts only in the value of `attempt`', () => {
    fc.assert(
      fc.property(anyBatch, (events) => {
        const fragments = joined(events);
        const [first, second] = [batchBody(fragments, 1), batchBody(fragments, 2)];
        expect(second).toHaveLength(first.length);
        const changed = [...first.split('').keys()].filter((i) => first[i] !== second[i]);
        expect(changed.map((i) => `${first.slice(i - 10, i)}${first.charAt(i)}>${second.charAt(i)}`)).toEqual(
          events.map(() => '"attempt":1>2'),
        );
      }),
    );
  });
});

describe('campaignFragment', () => {
  it('never contains the separator', () => {
    fc.assert(
      fc.property(anyCampaignEvent, anyHash, (event, hash) => {
        expect(campaignFragment(event, hash)).not.toContain(FRAGMENT_SEPARATOR);
      }),
    );
  });

  it('is unchanged by encoding to UTF-8 and back', () => {
    fc.assert(
      fc.property(anyCampaignEvent, anyHash, (event, hash) => {
        const fragment = campaignFragment(event, hash);
        expect(Buffer.from(fragment, 'utf8').toString('utf8')).toBe(fragment);
      }),
    );
  });
});

describe('fragmentHash', () => {
  it.each([
    'plain-hash-0001',
    '"quoted"-hash',
    'ends-with-quote"',
    'ends-with-backslash\\',
    '\\"both\\"-hash',
    'line\nbreak-hash',
    '\u2028separator-hash',
    'half-pair-\ud800',
    ',"event":"open"',
  ])('finds %j', (hash) => {
    expect(fragmentHash(campaignFragment(CLICK, hash))).toBe(hash);
  });

  it('finds any hash', () => {
    fc.assert(
      fc.property(anyCampaignEvent, anyHash, (event, hash) => {
        expect(fragmentHash(campaignFragment(event, hash))).toBe(hash);
      }),
    );
  });

  it('returns a text for a truncated fragment instead of throwing', () => {
    expect(fragmentHash('{"hash":"cut\\"')).toBe('cut\\');
  });

  it('lists the hashes of a batch in order', () => {
    fc.assert(
      fc.property(anyBatch, (events) => {
        expect(fragmentHashes(joined(events))).toEqual(events.map(([, hash]) => hash));
      }),
    );
  });
});

describe('notificationFragment', () => {
  const common = {
    account: 'acc',
    module: 'transactional_email',
    messageId: '<m1@example.com>',
    time: 1_700_000_000,
  } as const;
  it.each([
    [{ ...common, name: 'open', ip: '203.0.113.7' } as const, ['ip']],
    [{ ...common, name: 'click', ip: '::1', userAgent: 'UA', url: 'https://x/' } as const, ['ip', 'userAgent', 'url']],
    [{ ...common, name: 'bounce', type: 'hard', reason: '550' } as const, ['type', 'reason']],
  ])('has exactly the documented keys: %j', (event, own) => {
    const body: unknown = JSON.parse(notificationFragment({ ...event, id: 'producer-id' }));
    expect(Object.keys(body as object).sort()).toEqual(
      ['module', 'name', 'messageId', 'time', 'version', ...own].sort(),
    );
    expect(notification.parse(body)).toEqual(body);
  });

  it('property: parses to the event with `version` 1', () => {
    fc.assert(
      fc.property(anyTransactionalEvent, (event) => {
        expect(JSON.parse(notificationFragment(event))).toEqual({ ...without(event, 'account'), version: 1 });
      }),
    );
  });
});

test('property: fragmentMessageId finds every id', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (messageId) => {
      const event = {
        account: 'a',
        module: 'transactional_email',
        name: 'open',
        messageId,
        time: 1,
        ip: '"messageId":"x"',
      } as const;
      expect(fragmentMessageId(notificationFragment(event))).toBe(messageId);
    }),
  );
});

test('a message to the platform has no type of event and no messageId', () => {
  const body = JSON.stringify({ id: 'ops_1', type: 'destination.failing', reason: 'the name "x" of "messageId": \\' });
  expect(fragmentMessageId(body)).toBe('');
  expect(fragmentType(body, 'transactional')).toBe('');
});

describe('what is read from fragments', () => {
  it('finds type and recipient, whatever the other texts contain', () => {
    fc.assert(
      fc.property(anyCampaignEvent, anyHash, (event, hash) => {
        const fragment = campaignFragment(event, hash);
        expect([fragmentType(fragment, 'campaign'), fragmentEmail(fragment)]).toEqual([event.event, event.email]);
      }),
    );
    fc.assert(
      fc.property(anyTransactionalEvent, (event) => {
        expect(fragmentType(notificationFragment(event), 'transactional')).toBe(event.name);
      }),
    );
  });

  it('restores the events of a frozen batch and of a notification', () => {
    fc.assert(
      fc.property(anyBatch, (events) => {
        const payloads = payloadsOf(joined(events), 3, 'batch');
        expect(payloads).toEqual(JSON.parse(batchBody(joined(events), 3)));
      }),
    );
    fc.assert(
      fc.property(anyTransactionalEvent, (event) => {
        const body = notificationFragment(event);
        expect(payloadsOf(`msg_1\n${body}`, 1, 'single')).toEqual([JSON.parse(body)]);
      }),
    );
  });
});

test('property: the byte count is never too low, and the counts of parts add up to that of the whole', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), fc.nat(999), (texts, attempt) => {
      const fragments = texts.map((text) => `{"email":${JSON.stringify(text)},"attempt":`);
      const joined = fragments.join('\n');
      const bytes = bodyBytes({ fragments: joined, events: fragments.length });
      expect(bytes).toBeGreaterThanOrEqual(Buffer.byteLength(batchBody(joined, attempt)));
      const parts = fragments.map((fragment) => bodyBytes({ fragments: fragment, events: 1 }));
      expect(parts.reduce((sum, part) => sum + part)).toBe(bytes);
    }),
  );
});

test.each([
  ['{"version":2,"id":"a\\"b","module":"campaign","event":"open","time":1,"hash":"h","attempt":', 'a\\"b'],
  ['{"hash":"0123456789","event":"open","campaign":"c","attempt":', '0123456789'],
  ['msg_c1-2_1f_0\n{"module":"transactional_email"}', 'msg_c1-2_1f'],
  ['msg_c1_1f_r12\n{"module":"transactional_email"}', 'msg_c1_1f'],
  ['ops_abc\n{}', ''],
])('in outcomes, %s has the key %s', (fragment, key) => {
  expect(eventKeyText(fragment)).toBe(key);
});
