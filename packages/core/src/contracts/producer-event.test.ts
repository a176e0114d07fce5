import { producerEvent, unknownFields, validateEvent } from './producer-event.ts';

const open = {
  account: 'acc',
  module: 'transactional_email',
  name: 'open',
  messageId: '<m@x>',
  time: 1_700_000_000,
  ip: '203.0.113.7',
};
const click = { ...open, name: 'click', userAgent: 'UA', url: 'https://example.com/' };
const bounce = {
  account: 'acc',
  module: 'transactional_email',
  name: 'bounce',
  messageId: '<m@x>',
  time: 1_700_000_000,
  type: 'hard',
  reason: '550 5.1.1 unknown\r\n',
};
const campaign = {
  account: 'acc',
  module: 'campaign',
  event: 'click',
  campaign: 'c0ffee1234',
  email: 'ann@example.com',
  timestamp: 1_700_000_000,
  url: 'https://example.com/',
};
const campaignOpen = {
  account: 'acc',
  module: 'campaign',
  event: 'open',
  campaign: 'c0ffee1234',
  email: 'ann@example.com',
  timestamp: 1_700_000_000,
};
const without = (event: object, key: string) =>
  Object.fromEntries(Object.entries(event).filter(([name]) => name !== key));

describe('producerEvent', () => {
  it.each([
    open,
    click,
    bounce,
    { ...bounce, type: 'soft', reason: '' },
    { ...click, userAgent: '' },
    campaign,
    campaignOpen,
    { ...campaignOpen, event: 'unsubscribe' },
    { ...campaign, hash: 'ten-chars-' },
    { ...campaign, hash: 'h'.repeat(50) },
    { ...open, id: 'i'.repeat(100) },
    { ...open, time: 0 },
  ])('accepts %j unchanged', (event) => {
    expect(producerEvent.parse(event)).toEqual(event);
  });

  it.each([
    [open, 'id'],
    [open, 'account'],
    [open, 'messageId'],
    [campaign, 'id'],
    [campaign, 'account'],
    [campaign, 'hash'],
    [campaign, 'campaign'],
  ])('refuses half a surrogate pair, and accepts a whole one, when %j is identified by its %s', (event, field) => {
    for (const half of ['\ud800', '\udfff']) {
      const result = producerEvent.safeParse({ ...event, [field]: `123456789${half}` });
      expect(result.error?.issues).toEqual([
        expect.objectContaining({
          path: [field],
          message: expect.stringMatching(/^must be well-formed Unicode/) as string,
        }),
      ]);
    }
    const whole = { ...event, [field]: '123456789\u{1f600}' };
    expect(producerEvent.parse(whole)).toEqual(whole);
  });

  it('passes text on unchanged', () => {
    const event = {
      ...click,
      url: 'HTTPS://Example.com:443/../a b?"attempt":5',
      userAgent: '  \u2028"attempt":7  ',
      messageId: ' ',
    };
    expect(producerEvent.parse(event)).toEqual(event);
  });

  it.each([
    [{ ...open, url: 'https://x/', type: 'hard', version: 9, extra: {} }, open],
    [{ ...bounce, ip: '203.0.113.7' }, bounce],
    [{ ...campaignOpen, url: 'https://x/', attempt: 4, country: 'PL' }, campaignOpen],
  ])('strips unknown keys and fields of another kind: %j', (event, kept) => {
    expect(producerEvent.parse(event)).toEqual(kept);
  });

  it.each([
    [{ ...open, id: null }, open],
    [{ ...campaign, id: null, hash: null }, campaign],
    [{ ...bounce, id: null, ip: null, userAgent: null, url: null }, bounce],
  ])('takes null for an optional field as its absence: %j', (event, kept) => {
    expect(producerEvent.parse(event)).toEqual(kept);
  });

  it.each<[string, unknown, string]>([
    ['a wrong name', { ...open, name: 'opened' }, 'name'],
    ['no name', without(open, 'name'), 'name'],
    ['an event of the other module', { ...campaignOpen, event: 'suppression', action: 'added' }, 'event'],
    ['a wrong bounce type', { ...bounce, type: 'medium' }, 'type'],
    ['no bounce type', without(bounce, 'type'), 'type'],
    ['time as text', { ...open, time: '1700000000' }, 'time'],
    ['time as fraction', { ...open, time: 1.5 }, 'time'],
    ['time in milliseconds', { ...open, time: 1_700_000_000_000 }, 'time'],
    ['a time before 1970', { ...open, time: -1 }, 'time'],
    ['no time', without(open, 'time'), 'time'],
    ['no messageId', without(open, 'messageId'), 'messageId'],
    ['an empty messageId', { ...open, messageId: '' }, 'messageId'],
    ['a messageId of 1001 characters', { ...open, messageId: 'm'.repeat(1001) }, 'messageId'],
    ['no module', without(open, 'module'), 'module'],
    ['another module', { ...open, module: 'sms' }, 'module'],
    ['no account', without(open, 'account'), 'account'],
    ['an account that is a number', { ...open, account: 5 }, 'account'],
    ['an empty account', { ...open, account: '' }, 'account'],
    ['an open without ip', without(open, 'ip'), 'ip'],
    ['a click without url', without(click, 'url'), 'url'],
    ['a click without userAgent', without(click, 'userAgent'), 'userAgent'],
    ['a url of 10,001 characters', { ...click, url: 'u'.repeat(10_001) }, 'url'],
    ['a bounce without reason', without(bounce, 'reason'), 'reason'],
    ['a number', 5, ''],
    ['null', null, ''],
    ['an array', [open], ''],
    ['a text', 'open', ''],
    ['a campaign of 9 characters', { ...campaign, campaign: 'c0ffee123' }, 'campaign'],
    ['a campaign of 11 characters', { ...campaign, campaign: 'c0ffee12345' }, 'campaign'],
    ['an event hash of 9 characters', { ...campaign, hash: 'short9chr' }, 'hash'],
    ['an event hash of 51 characters', { ...campaign, hash: 'h'.repeat(51) }, 'hash'],
    ['a required text of null', { ...campaign, email: null }, 'email'],
    ['a campaign click without url', without(campaign, 'url'), 'url'],
    ['a campaign bounce without reason', { ...campaignOpen, event: 'bounce', type: 'hard' }, 'reason'],
    ['no email', without(campaign, 'email'), 'email'],
    ['a timestamp in milliseconds', { ...campaign, timestamp: 1_700_000_000_000 }, 'timestamp'],
    ['no timestamp', without(campaign, 'timestamp'), 'timestamp'],
    ['an id of 101 characters', { ...open, id: 'i'.repeat(101) }, 'id'],
    ['an empty id', { ...campaign, id: '' }, 'id'],
  ])('refuses %s and names the field', (_what, event, path) => {
    const issues = producerEvent.safeParse(event).error?.issues ?? [];
    expect(issues.map((issue) => issue.path.join('.'))).toEqual([path]);
  });
});

describe('validateEvent', () => {
  it.each<[object, string[]]>([
    [{}, ['module', 'account']],
    [{ module: 'campaign' }, ['event', 'account', 'campaign', 'email', 'timestamp']],
    [{ ...campaign, event: 'opened', timestamp: 1.5 }, ['event', 'timestamp']],
    [{ ...campaign, event: 'opened' }, ['event']],
    [{ module: 'transactional_email' }, ['name', 'account', 'time']],
    [{ ...open, name: 'opened', messageId: '', tags: [''] }, ['name', 'tags.0', 'messageId']],
    [without(open, 'ip'), ['ip']],
    [{ ...without(open, 'messageId'), messageID: 'm' }, ['messageId: write messageId in place of messageID']],
    [{ ...without(open, 'module'), modul: 'campaign' }, ['module: write module in place of modul']],
    [{ ...without(open, 'messageId'), messageID: null, url: 'm' }, ['messageId']],
    [{ ...without(open, 'name'), event: 'open' }, ['name', 'event: write name']],
    [{ ...without(campaignOpen, 'event'), name: 'open' }, ['event', 'name: write event']],
    [{ ...without(open, 'name'), event: null }, ['name']],
  ])('reports every fault of %j that can be known', (event, paths) => {
    const result = validateEvent(event);
    const found = 'errors' in result ? result.errors : [];
    const write = (message: string) => /: write .*/.exec(message)?.[0] ?? '';
    expect(found.map(({ path, message }) => `${path.join('.')}${write(message)}`)).toEqual(paths);
  });

  it('returns the event without unknown fields', () => {
    expect(validateEvent({ ...open, extra: 1 })).toEqual({ value: open });
  });
});

describe('unknownFields', () => {
  it.each<[string, unknown, string[]]>([
    [
      'a name with a slip',
      { ...open, userAgnt: 'UA', metadta: {} },
      ['userAgnt: write userAgent', 'metadta: write metadata'],
    ],
    ['another spelling', { ...without(open, 'messageId'), message_id: 'm' }, ['message_id: write messageId']],
    ['the same field twice', { ...open, 'Message-ID': 'm' }, ['Message-ID: write messageId, which it has too']],
    ['a field of another type', { ...campaign, event: 'open' }, ['url: is not a field of this event']],
    ['a slip in a campaign event', { ...without(campaign, 'email'), emial: 'x' }, ['emial: write email']],
    ['a short name, which may have no slip', { ...without(click, 'url'), urs: 'x' }, ['urs: is not a field']],
    ['null', { ...open, url: null }, []],
    ['an unknown type', { ...open, name: 'opened', extra: 1 }, []],
    ['the type of the other module', { ...open, module: 'campaign', extra: 1 }, []],
    ['no object', 5, []],
    ['nothing', null, []],
  ])('finds %s', (_what, event, expected) => {
    const found = unknownFields(event, 10).map(({ path, message }) => `${path}: ${message}`);
    for (const [i, text] of expected.entries()) {
      const [name = '', said = ''] = text.split(': ');
      expect(found[i]).toMatch(new RegExp(`^${name}: .*${said}`));
    }
    expect(found.length).toBeGreaterThanOrEqual(expected.length);
    if (expected.length === 0) expect(found).toEqual([]);
  });

  it('stops after the maximum', () => {
    expect(unknownFields({ ...open, a: 1, b: 1, c: 1 }, 2)).toHaveLength(2);
  });
});
