import { campaignBatch } from '@mailhook/core';
import type { ReceivedRequest } from '@mailhook/testing';
import { aCampaignEvent, acknowledge, anOpen, eventually, uniqueName } from '@mailhook/testing';
import { receiverRigs } from './receiver-rigs.suite.ts';

const typesOf = (request: ReceivedRequest): string[] => campaignBatch.parse(request.json).map(({ event }) => event);
const isUnsubscribe = (request: ReceivedRequest): boolean => typesOf(request)[0] === 'unsubscribe';
const opens = (count: number) =>
  Array.from({ length: count }, (_, i) => aCampaignEvent({ email: `o${i}@example.com` }));
const unsubscribes = (count: number) =>
  Array.from({ length: count }, (_, i) => aCampaignEvent({ event: 'unsubscribe', email: `u${i}@example.com` }));

/** Replies that the test releases one by one. */
function heldReplies() {
  const held = new Map<ReceivedRequest, () => void>();
  return {
    async reply(request: ReceivedRequest) {
      await new Promise<void>((resolve) => held.set(request, resolve));
      return acknowledgeAny(request);
    },
    get pending(): ReceivedRequest[] {
      return [...held.keys()];
    },
    release(request: ReceivedRequest | undefined): void {
      if (request === undefined) return;
      held.get(request)?.();
      held.delete(request);
    },
    releaseAll(): void {
      for (const request of [...held.keys()]) this.release(request);
    },
  };
}

describe('lanes of a destination', () => {
  const at = receiverRigs({ timeoutMs: 30_000 });
  const { rigWith } = at;

  /** Publishes `late` while four full batches of `first` are in flight and more wait. Returns the next two requests. */
  const startedAfter = async (first: ReturnType<typeof opens>, late: ReturnType<typeof opens>) => {
    const rig = await rigWith({ kind: 'campaign', limits: { batchMax: 100 } });
    const replies = heldReplies();
    at.receiver.setReply((request) => replies.reply(request));
    const destination = await rig.destination(uniqueName('account'), at.receiver.url);
    await rig.publish(first, destination);
    // Each success doubles the window, up to four.
    for (const inFlight of [1, 2, 4]) {
      await eventually(() => replies.pending.length === inFlight, { what: `${inFlight} requests in flight` });
      if (inFlight < 4) replies.release(replies.pending[0]);
    }
    const before = at.receiver.requests.length;
    await rig.publish(late, destination);
    const lane = late.some(({ event }) => event === 'unsubscribe') ? 'unsubscribes' : 'fresh';
    await eventually(async () => (await rig.mailbox(destination.id)).state[lane] > 0, {
      what: 'the late events in their mailbox',
    });
    for (const wanted of [before + 1, before + 2]) {
      replies.release(replies.pending[0]);
      await at.receiver.waitForRequests(wanted);
    }
    const started = at.receiver.requests.slice(before, before + 2);
    at.receiver.setReply((request) => acknowledge(request.json));
    replies.releaseAll();
    return started;
  };

  test('one of the next two requests carries an unsubscribe, even if 2,000 opens wait before it', async () => {
    const started = await startedAfter(opens(2000), unsubscribes(1));
    expect(started.some(isUnsubscribe)).toBe(true);
    expect(started.every(isUnsubscribe)).toBe(false);
  });

  test('a few opens do not wait behind many unsubscribes', async () => {
    const started = await startedAfter(unsubscribes(2000), opens(20));
    expect(started.some((request) => !isUnsubscribe(request))).toBe(true);
  });

  test.each([
    ['campaign', () => opens(1), () => [...opens(1), ...unsubscribes(1)], 2],
    ['transactional', () => [anOpen()], () => [anOpen(), anOpen()], 1],
  ] as const)('%s: new events do not wait for a resend in flight', async (kind, first, later, requests) => {
    const rig = await rigWith({ kind, scheduleMs: [50] });
    const replies = heldReplies();
    at.receiver.setReply((request) => {
      if (at.receiver.requests.length === 1) return { status: 500 };
      return request.headers['webhook-attempt'] === '2' ? replies.reply(request) : acknowledgeAny(request);
    });
    const destination = await rig.destination(uniqueName('account'), at.receiver.url);
    await rig.publish(first(), destination);
    await eventually(() => replies.pending.length === 1, { what: 'the resend in flight' });
    await rig.publish(later(), destination);
    await at.receiver.waitForRequests(2 + requests);
    expect(replies.pending).toHaveLength(1);
    replies.releaseAll();
  });

  test.each(['campaign', 'transactional'] as const)(
    '%s: a due resend does not wait for first attempts',
    async (kind) => {
      const rig = await rigWith({ kind, scheduleMs: [300] });
      const replies = heldReplies();
      at.receiver.setReply((request) => {
        if (at.receiver.requests.length === 1) return { status: 500 };
        return request.headers['webhook-attempt'] === '2' ? acknowledgeAny(request) : replies.reply(request);
      });
      const destination = await rig.destination(uniqueName('account'), at.receiver.url);
      const one = () => (kind === 'campaign' ? opens(1) : [anOpen()]);
      await rig.publish(one(), destination);
      await at.receiver.waitForRequests(1);
      for (let i = 0; i < 20; i += 1) await rig.publish(one(), destination);
      await eventually(() => at.receiver.requests.some(({ headers }) => headers['webhook-attempt'] === '2'), {
        what: 'the resend beside first attempts that hang',
      });
      expect(replies.pending.length).toBeGreaterThan(0);
      replies.releaseAll();
    },
  );

  test('while the breaker is open, the receiver gets one request at a time, with a new event or a resend', async () => {
    const rig = await rigWith({ kind: 'campaign', scheduleMs: [40, 40, 40, 40], breakerFailures: 1, parkMaxMs: 60 });
    let inFlight = 0;
    let peak = 0;
    at.receiver.setReply(async () => {
      inFlight += 1;
      peak = Math.max(peak, inFlight);
      await new Promise((resolve) => setTimeout(resolve, 30));
      inFlight -= 1;
      return { status: 503 };
    });
    const destination = await rig.destination(uniqueName('account'), at.receiver.url);
    await rig.publish(opens(1), destination);
    await at.receiver.waitForRequests(1);
    for (let i = 0; i < 10; i += 1) await rig.publish(opens(1), destination);
    await at.receiver.waitForRequests(10, 20_000);
    expect(peak).toBe(1);
  });
});

const acknowledgeAny = (request: ReceivedRequest) =>
  Array.isArray(request.json) ? acknowledge(request.json) : { status: 200 };
