import { campaignBatch } from '@mailhook/core';
import type { FakeReceiver, ReceivedRequest } from '@mailhook/testing';
import { aCampaignEvent, acknowledge, anOpen, eventually, startReceiver, uniqueName } from '@mailhook/testing';
import type { Rig } from './rig.ts';
import { startRig } from './rig.ts';

const typesOf = (request: ReceivedRequest): string[] => campaignBatch.parse(request.json).map(({ event }) => event);
const isUnsubscribe = (request: ReceivedRequest): boolean => typesOf(request)[0] === 'unsubscribe';
const opens = (count: number) =>
  Array.from({ length: count }, (_, i) => aCampaignEvent({ email: `o${i}@example.com` }));
const unsubscribes = (count: number) =>
  Array.from({ length: count }, (_, i) => aCampaignEvent({ event: 'unsubscribe', email: `u${i}@example.com` }));

/** Answers a request when the test says so. */
function heldReplies() {
  const held = new Map<ReceivedRequest, () => void>();
  return {
    async reply(request: ReceivedRequest) {
      await new Promise<void>((resolve) => held.set(request, resolve));
      return Array.isArray(request.json) ? acknowledge(request.json) : { status: 200 };
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
  const rigs: Rig[] = [];
  let receiver: FakeReceiver;
  const rigWith = async (options: Parameters<typeof startRig>[0]) => {
    const rig = await startRig({ timeoutMs: 30_000, ...options });
    rigs.push(rig);
    await rig.startWorker();
    return rig;
  };
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());
  afterAll(() => Promise.all(rigs.map((rig) => rig.close())));

  /** Publishes `late` while four full batches of `first` are in flight and more wait; returns the next two requests that start. */
  const startedAfter = async (first: ReturnType<typeof opens>, late: ReturnType<typeof opens>) => {
    const rig = await rigWith({ kind: 'campaign', limits: { batchMax: 100 } });
    const replies = heldReplies();
    receiver.setReply((request) => replies.reply(request));
    const destination = await rig.destination(uniqueName('account'), receiver.url);
    await rig.publish(first, destination);
    // Each success doubles what may be in flight, up to four.
    for (const inFlight of [1, 2, 4]) {
      await eventually(() => replies.pending.length === inFlight, { what: `${inFlight} requests in flight` });
      if (inFlight < 4) replies.release(replies.pending[0]);
    }
    const before = receiver.requests.length;
    await rig.publish(late, destination);
    const lane = late.some(({ event }) => event === 'unsubscribe') ? 'u' : 'f';
    await eventually(async () => (await rig.redis.llen(`${rig.base}${lane}:${destination.id}`)) > 0, {
      what: 'the late events in their mailbox',
    });
    for (const wanted of [before + 1, before + 2]) {
      replies.release(replies.pending[0]);
      await receiver.waitForRequests(wanted);
    }
    const started = receiver.requests.slice(before, before + 2);
    receiver.setReply((request) => acknowledge(request.json));
    replies.releaseAll();
    return started;
  };

  test('an unsubscribe leaves with one of the next two requests, whatever waits before it', async () => {
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
    receiver.setReply((request) => {
      if (receiver.requests.length === 1) return { status: 500 };
      return request.headers['webhook-attempt'] === '2' ? replies.reply(request) : acknowledgeAny(request);
    });
    const destination = await rig.destination(uniqueName('account'), receiver.url);
    await rig.publish(first(), destination);
    await eventually(() => replies.pending.length === 1, { what: 'the resend in flight' });
    await rig.publish(later(), destination);
    await receiver.waitForRequests(2 + requests);
    expect(replies.pending).toHaveLength(1);
    replies.releaseAll();
  });

  test.each(['campaign', 'transactional'] as const)(
    '%s: a due resend does not wait for first attempts',
    async (kind) => {
      const rig = await rigWith({ kind, scheduleMs: [300] });
      const replies = heldReplies();
      receiver.setReply((request) => {
        if (receiver.requests.length === 1) return { status: 500 };
        return request.headers['webhook-attempt'] === '2' ? acknowledgeAny(request) : replies.reply(request);
      });
      const destination = await rig.destination(uniqueName('account'), receiver.url);
      const one = () => (kind === 'campaign' ? opens(1) : [anOpen()]);
      await rig.publish(one(), destination);
      await receiver.waitForRequests(1);
      for (let i = 0; i < 20; i += 1) await rig.publish(one(), destination);
      await eventually(() => receiver.requests.some(({ headers }) => headers['webhook-attempt'] === '2'), {
        what: 'the resend beside first attempts that hang',
      });
      expect(replies.pending.length).toBeGreaterThan(0);
      replies.releaseAll();
    },
  );

  test('a receiver whose breaker is open gets one request at a time, new events and resends together', async () => {
    const rig = await rigWith({ kind: 'campaign', scheduleMs: [40, 40, 40, 40], breakerFailures: 1, parkMaxMs: 60 });
    let open = 0;
    let peak = 0;
    receiver.setReply(async () => {
      open += 1;
      peak = Math.max(peak, open);
      await new Promise((resolve) => setTimeout(resolve, 30));
      open -= 1;
      return { status: 503 };
    });
    const destination = await rig.destination(uniqueName('account'), receiver.url);
    await rig.publish(opens(1), destination);
    await receiver.waitForRequests(1);
    for (let i = 0; i < 10; i += 1) await rig.publish(opens(1), destination);
    await receiver.waitForRequests(10, 20_000);
    expect(peak).toBe(1);
  });
});

const acknowledgeAny = (request: ReceivedRequest) =>
  Array.isArray(request.json) ? acknowledge(request.json) : { status: 200 };
