import type { FrozenBatch } from '../mailbox/replies.ts';
import type { Attempt, Sent } from '../record/attempt.ts';
import { attemptBatch, settleOf } from './attempt.ts';
import { aBatch, aTarget } from './attempt-samples.suite.ts';
import { batchIds } from './batch-ids.ts';

const outcome = {
  name: 'delivered',
  httpStatus: 200,
  error: undefined,
  unconfirmed: [],
  retryAfter: undefined,
} as const;

interface Request {
  readonly webhookId: string;
  readonly content: string;
}

/** Makes one attempt and returns it with its request. */
async function attempt(frozen: FrozenBatch, reply: Partial<Sent['outcome']> = {}): Promise<[Attempt, Request]> {
  const requests: Request[] = [];
  const made = await attemptBatch(
    {
      sender: {
        webhookId: ({ id }) => `msg_${id}`,
        send: ({ content, events }, _target, webhookId) => {
          requests.push({ webhookId, content });
          return Promise.resolve({
            ...{ outcome: { ...outcome, ...reply }, durationMs: 1, events },
            eventKeys: content.split('\n'),
          });
        },
      },
      policy: { retry: { scheduleMs: [10], jitter: 0 }, partialAck: 'unconfirmed', poisonSplit: true },
      onError: (error) => {
        throw error;
      },
    },
    { destination: 'd', batch: frozen, target: aTarget() },
    { cut: undefined },
  );
  if ('localFault' in made) throw new Error('nothing was sent');
  return [made, requests[0] as Request];
}

/** Type, id and `webhook-id` of each follow-up. */
const namesOf = ({ followUps }: ReturnType<typeof settleOf>) =>
  followUps.map(({ type, id, webhookId }) => [type, id, webhookId]);

const refused = { name: 'rejected', httpStatus: 400, error: 'no', unconfirmed: 'all' } as const;

describe('the ids of follow-ups', () => {
  test('are never used twice, even if Redis forgot a settle and the next attempt ends differently', async () => {
    const newId = batchIds('w1');
    const [first] = await attempt(aBatch(), { unconfirmed: [0, 1] });
    const [second] = await attempt(aBatch(), { unconfirmed: [2] });
    const [[a], [b]] = [settleOf(first, newId).followUps, settleOf(second, newId).followUps];
    expect([a?.events, b?.events]).toEqual([2, 1]);
    expect(a?.id).not.toBe(b?.id);
    expect(a?.webhookId).not.toBe(b?.webhookId);
    expect(b).toMatchObject({ id: 'w1-2', webhookId: 'msg_w1-2' });
  });

  test('stay short in a deep search', async () => {
    const newId = batchIds('w1');
    let frozen = aBatch({ step: 1 });
    for (let i = 0; i < 40; i += 1) {
      const [made] = await attempt({ ...frozen, id: i === 0 ? 'w1.1.1' : newId() }, refused);
      const [followUp] = settleOf(made, newId).followUps;
      expect(followUp?.id.length).toBeLessThan(20);
      frozen = { ...frozen, lane: 'x', split: 'deeper', search: 'refusal 1 200 0 4', id: followUp?.id ?? '' };
    }
  });

  test('a resend keeps its id, and its content stays in its record', async () => {
    const [made] = await attempt(aBatch({ lane: 'x', webhookId: 'msg_1' }), { ...refused, httpStatus: 503 });
    const settle = settleOf(made, batchIds('w1'));
    expect(namesOf(settle)).toEqual([['resend', 'w1.1.1', 'msg_1']]);
    expect(settle.followUps.map(({ body }) => body)).toEqual([undefined]);
  });
});

describe('a request that carries a part of a batch', () => {
  test('has a webhook-id that names the positions of its events', async () => {
    const inSearch = aBatch({
      lane: 'x',
      webhookId: 'msg_1',
      split: 'deeper',
      search: 'refusal 0 250 1 1,2,1',
      step: 1,
    });
    const [, request] = await attempt(inSearch, refused);
    expect(request).toEqual({ webhookId: 'msg_1-1-3', content: 'e1\ne2' });
    const [, smaller] = await attempt(aBatch({ search: 'cut 20' }));
    expect(smaller).toEqual({ webhookId: 'msg_w1.1.1-0-2', content: 'e0\ne1' });
  });
  test('keeps that id when the part is resent alone, and the batch keeps its id', async () => {
    const inSearch = aBatch({ lane: 'x', webhookId: 'msg_1', split: 'deeper', search: 'refusal 1 250 1 1,2,1' });
    const [away] = await attempt(inSearch, { ...refused, httpStatus: 503 });
    expect(namesOf(settleOf(away, batchIds('w1')))).toEqual([
      ['resend', 'w1-1', 'msg_1-1-3'],
      ['send-now', 'w1-2', 'msg_w1-2'],
    ]);
    const [refusedPart] = await attempt({ ...inSearch, search: 'refusal 0 250 1 1,2,1' }, refused);
    expect(namesOf(settleOf(refusedPart, batchIds('w1')))).toEqual([['send-now', 'w1.1.1', 'msg_1']]);
  });
  test.each(['first', 'second'] as const)(
    'of stage %s, which an earlier version wrote, has the id of its record',
    async (split) => {
      const [, request] = await attempt(aBatch({ lane: 'x', webhookId: 'msg_1', split }));
      expect(request.webhookId).toBe('msg_1');
      expect(request.content).toBe(split === 'first' ? 'e0\ne1' : 'e2\ne3');
    },
  );
});
