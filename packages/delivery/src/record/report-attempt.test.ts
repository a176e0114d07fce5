import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { coded } from '@mailhook/core';
import { createLogger } from '@mailhook/platform/logger';
import type { Attempt } from './attempt.ts';
import { aBatch, aTarget } from '../deliver/attempt-samples.suite.ts';
import type { AttemptRecord } from './attempt-record.ts';
import { reportAttempt } from './report-attempt.ts';

const attemptAt = (address: string): Attempt => ({
  destination: 'campaign-acc',
  webhookId: 'msg_1',
  batch: aBatch({ events: 1, fragments: '{}' }),
  target: aTarget({ address }),
  sent: {
    outcome: {
      name: 'timeout',
      httpStatus: undefined,
      error: coded('other', { text: 'late' }),
      unconfirmed: 'all',
      retryAfter: undefined,
    },
    durationMs: 5,
    events: 1,
    fragments: '',
    eventKeys: ['h'],
  },
  settlement: {
    delivered: 0,
    followUps: [
      { type: 'resend', identity: 'batch', isTried: true, fragments: '{}', events: 1, step: 1, search: '', waitMs: 9 },
    ],
  },
  endedAtMs: 1000,
});

/** Reports an attempt. Returns its log line and the records for its customer. */
async function report(address: string): Promise<{ line: string; records: AttemptRecord[] }> {
  const stream = new PassThrough();
  const logger = createLogger({ level: 'info', service: 'test', pretty: false, stream });
  const records: AttemptRecord[] = [];
  reportAttempt({
    kind: 'campaign',
    logger,
    attemptLog: { record: (record) => void records.push(record), takesDelivered: () => true },
    history: { count: () => undefined },
    metrics: { attempted: () => undefined },
    deliveryTimeoutMs: 5000,
  })(attemptAt(address));
  logger.once('finish', () => setImmediate(() => stream.end()));
  logger.end();
  return { line: await text(stream), records };
}

describe('the log line of an attempt', () => {
  test.each([
    ['https://hooks.example.com/a/secret-1?token=secret-1', 'https://hooks.example.com'],
    ['http://hooks.example.com:8080?secret-1', 'http://hooks.example.com:8080'],
    ['https://user:secret-1@hooks.example.com/a#secret-1', 'https://hooks.example.com'],
    ['no url: secret-1', ''],
  ])('has only the origin and a digest of %s', async (address, shown) => {
    const { line, records } = await report(address);
    expect(JSON.parse(line)).toMatchObject({ message: 'delivery attempt', address: shown, error: 'late' });
    expect(line).not.toContain('secret-1');
    // The customer, who owns the address, sees the whole address.
    expect(records).toMatchObject([{ address }]);
  });

  test('has the digest that sha256sum prints for the address', async () => {
    const { line } = await report('https://hooks.example.com/a?b=c');
    expect(JSON.parse(line)).toMatchObject({ addressDigest: 'de3111878e08' });
  });
});
