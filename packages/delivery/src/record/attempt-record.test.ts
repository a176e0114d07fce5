import type { FollowUp } from '@mailhook/core';
import type { Attempt } from './attempt.ts';
import { aBatch, aTarget } from '../deliver/attempt-samples.suite.ts';
import { attemptRecordOf } from './attempt-record.ts';

const followUp = (type: FollowUp['type'], isTried: boolean, waitMs = 0): FollowUp => ({
  type,
  identity: 'new',
  isTried,
  fragments: '{}',
  events: 1,
  step: 0,
  search: '',
  waitMs,
});

function recordOf(delivered: number, followUps: readonly FollowUp[], unconfirmed: 'all' | number[]) {
  const attempt: Attempt = {
    destination: 'campaign-acc',
    webhookId: 'msg_1',
    endedAtMs: 1000,
    batch: aBatch(),
    target: aTarget(),
    sent: {
      outcome: { name: 'delivered', httpStatus: 200, error: undefined, unconfirmed, retryAfter: undefined },
      durationMs: 1,
      events: 2,
      fragments: '',
      eventKeys: ['a', 'b'],
    },
    settlement: { delivered, followUps },
  };
  const { status, nextAttemptAt, unconfirmedKeys } = attemptRecordOf(attempt, 'campaign');
  return { status, nextAttemptAt, unconfirmedKeys };
}

describe('the status of an attempt describes the events that its request carried', () => {
  test.each<[string, number, FollowUp[], 'all' | number[], ReturnType<typeof recordOf>]>([
    [
      'delivered, while other events of the batch are resent or dead',
      ...([2, [followUp('send-now', false), followUp('dead', false)], []] as [number, FollowUp[], number[]]),
      { status: 'delivered', nextAttemptAt: undefined, unconfirmedKeys: undefined },
    ],
    [
      'partly acknowledged, while other events of the batch are resent',
      ...([1, [followUp('resend', true, 5000), followUp('send-now', false)], [1]] as [number, FollowUp[], number[]]),
      { status: 'failed', nextAttemptAt: '1970-01-01T00:00:06.000Z', unconfirmedKeys: ['b'] },
    ],
    [
      'partly acknowledged, and the whole request is resent (PARTIAL_ACK=batch)',
      ...([0, [followUp('resend', true, 5000)], [1]] as [number, FollowUp[], number[]]),
      { status: 'failed', nextAttemptAt: '1970-01-01T00:00:06.000Z', unconfirmedKeys: undefined },
    ],
    [
      'refused and given up, while other events of the batch are resent',
      ...([0, [followUp('dead', true), followUp('send-now', false)], 'all'] as [number, FollowUp[], 'all']),
      { status: 'dead', nextAttemptAt: undefined, unconfirmedKeys: undefined },
    ],
  ])('%s', (_what, delivered, followUps, unconfirmed, expected) => {
    expect(recordOf(delivered, followUps, unconfirmed)).toEqual(expected);
  });
});
