import {
  attemptStatus,
  deadLetter,
  ownDiscardInput,
  deliveriesQuery,
  deliveryAttempt,
  eventQuery,
  mechanism,
  moduleOf,
  pageQuery,
  redriveInput,
  redriveResult,
} from './delivery.ts';

describe('pageQuery', () => {
  it.each([
    [{}, { limit: 50 }],
    [{ limit: '200' }, { limit: 200 }],
    [
      { limit: '1', cursor: 'abc' },
      { limit: 1, cursor: 'abc' },
    ],
  ])('reads %j', (query, page) => {
    expect(pageQuery.parse(query)).toEqual(page);
  });

  it.each([{ limit: '0' }, { limit: '201' }, { limit: '1.5' }, { limit: 'ten' }, { cursor: 'c'.repeat(201) }])(
    'refuses %j',
    (query) => {
      expect(pageQuery.safeParse(query).success).toBe(false);
    },
  );
});

describe('deliveriesQuery', () => {
  it('says how to write the plus of a time, which a query turns into a space', () => {
    const result = deliveriesQuery.safeParse({ from: '2026-01-31T09:00:00 01:00' });
    expect(result.error?.issues).toMatchObject([
      { path: ['from'], message: expect.stringContaining('write + as %2B') as string },
    ]);
  });

  it('filters by destination and status', () => {
    const query = { destination: 'campaign', status: 'failed', limit: 50 };
    expect(deliveriesQuery.parse(query)).toEqual(query);
    expect(deliveriesQuery.safeParse({ status: 'lost' }).success).toBe(false);
    const replies = ['503', '5xx', 'none', '600', 'xx', '50'];
    expect(replies.filter((reply) => deliveriesQuery.safeParse({ reply }).success)).toEqual(['503', '5xx', 'none']);
  });
});

describe('eventQuery', () => {
  it.each([{ id: 'evt_8f1c' }, { hash: 'ten-chars-' }, { messageId: '<m@x>' }])('accepts %j', (query) => {
    expect(eventQuery.parse(query)).toEqual(query);
  });

  it.each([{}, { hash: 'ten-chars-', messageId: 'm' }, { hash: 'short' }, { messageId: '' }])('refuses %j', (query) => {
    expect(eventQuery.safeParse(query).success).toBe(false);
  });
});

describe('redriveInput', () => {
  it.each([{}, { ids: ['a'] }, { ids: Array.from({ length: 1000 }, (_, i) => `id-${i}`) }])('accepts %#', (body) => {
    expect(redriveInput.parse(body)).toEqual(body);
  });

  it.each([{ ids: [] }, { ids: [''] }, { ids: [5] }, { ids: 'a' }, { ids: Array<string>(1001).fill('a') }])(
    'refuses %#',
    (body) => {
      expect(redriveInput.safeParse(body).success).toBe(false);
    },
  );

  it('gets a count as its result', () => {
    expect(redriveResult.parse({ redriven: 3 })).toEqual({ redriven: 3 });
    expect(redriveResult.safeParse({ redriven: 0.5 }).success).toBe(false);
  });
});

describe('items of the lists', () => {
  it('accepts an attempt with and without its optional fields', () => {
    const attempt = {
      id: 'a',
      time: '2026-11-21T12:00:00Z',
      kind: 'test',
      address: 'http://x',
      events: 1,
      attempt: 1,
      status: 'delivered',
      durationMs: 1.5,
    };
    expect(deliveryAttempt.parse(attempt)).toEqual(attempt);
    const failed = {
      ...attempt,
      subscription: 's',
      httpStatus: 500,
      error: 'no',
      nextAttemptAt: '2026-11-21T12:00:05Z',
    };
    expect(deliveryAttempt.parse(failed)).toEqual(failed);
    expect(attemptStatus.options).toEqual(['delivered', 'failed', 'dead']);
  });

  it('discards only what is selected by ids or groups', () => {
    const accepted = [{}, { ids: ['c0_1'] }, { groups: ['1a.campaign'] }].map(
      (input) => ownDiscardInput.safeParse(input).success,
    );
    expect(accepted).toEqual([false, true, true]);
  });

  it('accepts a dead letter of either mechanism', () => {
    const letter = {
      id: 'a',
      time: '2026-11-21T12:00:00Z',
      kind: 'campaign',
      module: 'campaign',
      shape: 'batch',
      destination: 'campaign',
      address: 'http://x',
      events: 2,
      attempts: 11,
      error: 'no',
    };
    expect(deadLetter.parse(letter)).toEqual(letter);
    expect(deadLetter.safeParse({ ...letter, kind: 'test' }).success).toBe(false);
    expect(mechanism.options.map(moduleOf)).toEqual(['transactional_email', 'campaign']);
  });
});
