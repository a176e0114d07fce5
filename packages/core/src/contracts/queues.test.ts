import {
  chunkJob,
  deactivationJob,
  deadLetterJob,
  emailEventsJob,
  engineQueues,
  parkJob,
  rejectedEventJob,
  resendJob,
} from './queues.ts';

describe('engineQueues', () => {
  it('gives each queue of both mechanisms a different name that BullMQ allows', () => {
    const names = [...Object.values(engineQueues('transactional')), ...Object.values(engineQueues('campaign'))];
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z-]+$/);
    expect(engineQueues('campaign').deadLetters).toBe('campaign-dead-letters');
  });
});

describe('emailEventsJob', () => {
  it.each([{ events: [null] }, { events: [5, {}] }, { events: Array.from({ length: 10_000 }, () => 0), more: 1 }])(
    'accepts 1 to 10,000 elements of any shape: %#',
    (data) => {
      expect(emailEventsJob.parse(data).events).toEqual(data.events);
    },
  );

  it('accepts a traceparent and ignores one that is not a string', () => {
    expect(emailEventsJob.parse({ events: [0], traceparent: '00-a-b-01' }).traceparent).toBe('00-a-b-01');
    expect(emailEventsJob.parse({ events: [0], traceparent: 7 }).traceparent).toBeUndefined();
  });

  it.each([{}, { events: [] }, { events: {} }, null, { events: Array.from({ length: 10_001 }, () => 0) }])(
    'refuses %#',
    (data) => {
      expect(emailEventsJob.safeParse(data).success).toBe(false);
    },
  );
});

const group = ['transactional', 'sub-1', 'acc', 'f', ['0001webhook-id\n{"module":...}'], null];
const destination = { v: 1, destination: 'sub-1' };
const deadLetter = {
  ...destination,
  deadLetter: 'd',
  account: 'acc',
  kind: 'campaign',
  events: 2,
  attempts: 11,
  error: 'no',
};
const deactivation = { ...destination, account: 'acc', kind: 'campaign', version: 4, reason: 'HTTP 410' };

describe('payloads', () => {
  it.each([
    [
      'chunk',
      chunkJob,
      { v: 1, acceptedAt: 1, groups: [group, ['campaign', 'campaign-acc', 'acc', 'u', ['0002x\ny'], ['id', '']]] },
    ],
    ['chunk with shared events', chunkJob, { v: 1, acceptedAt: 1, groups: [group.with(1, ['sub-1', 'sub-2'])] }],
    ['repeatable chunk', chunkJob, { v: 1, acceptedAt: 1, groups: [group], isRepeatable: true }],
    ['resend', resendJob, { ...destination, resend: 'r', attempt: 2 }],
    ['park', parkJob, destination],
    ['dead letter', deadLetterJob, deadLetter],
    ['deactivation', deactivationJob, deactivation],
    ['rejected event', rejectedEventJob, { event: { any: 1 }, errors: [{ path: 'name', message: 'bad' }] }],
  ])('reads the data of a %s job as it was written', (_what, schema, data) => {
    expect(schema.parse(data)).toEqual(data);
  });

  it.each([
    ['chunk', chunkJob, { v: 1, acceptedAt: 1, groups: [group] }],
    ['resend', resendJob, { ...destination, resend: 'r', attempt: 2 }],
    ['park', parkJob, destination],
    ['dead letter', deadLetterJob, deadLetter],
    ['deactivation', deactivationJob, deactivation],
  ])('refuses a %s job of an unknown version', (_what, schema, data) => {
    expect(schema.safeParse({ ...data, v: 2 }).success).toBe(false);
    expect(schema.safeParse({ ...data, v: undefined }).success).toBe(false);
  });

  it.each([
    { v: 1, acceptedAt: 1, groups: [] },
    { v: 1, acceptedAt: 1, groups: [['transactional', 'sub-1', 'acc', 'x', ['0001'], null]] },
    { v: 1, acceptedAt: 1, groups: [['sms', 'sub-1', 'acc', 'f', ['0001'], null]] },
    { v: 1, acceptedAt: 1, groups: [['transactional', 'sub-1', 'acc', 'f', ['0001']]] },
    { v: 1, acceptedAt: 1, groups: [['transactional', 'sub-1', 'acc', 'f', [], null]] },
    { v: 1, acceptedAt: 1, groups: [['transactional', 'sub-1', 'acc', 'f', ['no count'], null]] },
    { v: 1, acceptedAt: 1, groups: [['transactional', [], 'acc', 'f', ['0001'], null]] },
  ])('refuses a malformed chunk: %j', (data) => {
    expect(chunkJob.safeParse(data).success).toBe(false);
  });
});
