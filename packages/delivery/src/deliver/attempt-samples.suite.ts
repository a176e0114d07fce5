import { coded } from '@mailhook/core';
import type { DrainReply, FrozenBatch, SendTarget } from '../mailbox/replies.ts';
import type { Attempt, Sent } from '../record/attempt.ts';
import { NO_STATE } from '../mailbox/state.ts';
import type { MailboxState } from '../mailbox/state.ts';
import { Drain } from './drain.ts';
import { createRuntime } from './runtime.ts';
import { sendBatch } from './send.ts';

/** A batch of four events before its first attempt. */
export const aBatch = (more: Partial<FrozenBatch> = {}): FrozenBatch => ({
  id: 'w1_1_1',
  lane: 'f',
  attempt: 1,
  events: 4,
  acceptedAtMs: 0,
  fragments: 'e0\ne1\ne2\ne3',
  shape: 'batch',
  webhookId: '',
  step: 0,
  search: '',
  traces: [],
  replay: '',
  ...more,
});

/** A target with a successful last attempt. */
export const aTarget = (more: Partial<SendTarget> = {}): SendTarget => ({
  address: 'http://127.0.0.1:9/',
  version: 1,
  account: 'acc',
  credentials: '',
  ...more,
});

const outcome = {
  name: 'delivered',
  httpStatus: 200,
  error: undefined,
  unconfirmed: [],
  retryAfter: undefined,
} as const;

interface Request {
  readonly webhookId: string;
  readonly fragments: string;
}

/** Makes one attempt and returns it with its request. */
export async function makeAttempt(
  frozen: FrozenBatch,
  reply: Partial<Sent['outcome']> = {},
): Promise<[Attempt, Request]> {
  const requests: Request[] = [];
  const made = await sendBatch(
    {
      sender: {
        send: ({ fragments, events }, _target, webhookId) => {
          requests.push({ webhookId, fragments });
          return Promise.resolve({
            outcome: { ...outcome, ...reply },
            durationMs: 1,
            events,
            fragments: '',
            eventKeys: fragments.split('\n'),
          });
        },
      },
      runtime: createRuntime(),
      policy: { retry: { scheduleMs: [10], jitter: 0 }, partialAck: 'unconfirmed', poisonSplit: true },
      onError: (error) => {
        throw error;
      },
    },
    { destination: 'd', batch: frozen, target: aTarget() },
    { cut: undefined, isInLine: false },
  );
  if ('localFault' in made) throw new Error('nothing was sent');
  return [made, requests[0] as Request];
}

/** A reply that refuses the whole request. */
export const refused = {
  name: 'rejected',
  httpStatus: 400,
  error: coded('status', { status: '400' }),
  unconfirmed: 'all',
} as const;

/** A reply to a worker's call. */
export const aReply = (more: Partial<DrainReply> = {}): DrainReply => ({
  destination: 'd',
  status: 'ok',
  state: aState(),
  nowMs: Date.now(),
  target: undefined,
  batches: [],
  ...more,
});

/** The state of a mailbox that the worker `w` owns. */
export const aState = (more: Partial<MailboxState> = {}): MailboxState => ({
  ...NO_STATE,
  owner: 'w_1',
  version: 1,
  revision: 1,
  ...more,
});

/** A drain that has claimed its destination at 0 ms, and knows its target. */
export function aDrain(state: Partial<MailboxState> = {}, batches: readonly FrozenBatch[] = []): Drain {
  const target = { account: 'acc', address: 'http://127.0.0.1:9/', reason: '', credentials: '' };
  const reply = aReply({ state: aState(state), target, batches });
  const drain = new Drain(reply, 0);
  drain.onReply(reply, 0, false);
  return drain;
}
