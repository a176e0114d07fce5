import { eventually, startReceiver, testRedisUrl, uniqueName } from '@mailhook/testing';
import { startRig } from '../engine/rig.ts';
import { eventsIn, eventsOf, idsIn, inShape, publishVersion2 } from '../engine/version-2.suite.ts';
import { startDoomedWorker } from './rig/doomed.ts';

const EVENTS = 400;

/**
 * A worker is killed before it acts on a reply of Redis: with arrays frozen, in flight, or settled. Then another worker
 * takes over.
 */
test.each([
  ['append', 1],
  ['next', 1],
  ['next', 3],
] as const)(
  'arrays of the notifier: after a SIGKILL at %s number %i nothing is lost, and a repeated array has the same bytes',
  async (command, call) => {
    const kind = 'transactional';
    const receiver = await startReceiver({ reply: () => ({ status: 204 }) });
    const rig = await startRig({ kind, scheduleMs: [50] });
    const account = uniqueName('account');
    const destination = await rig.destination(account, receiver.url, inShape('array', { maxEvents: 30 }));
    await publishVersion2(rig, destination, eventsOf(kind, 0, EVENTS));
    const redisUrl = await testRedisUrl();
    const { queuePrefix } = rig;
    const worker = await startDoomedWorker({ kind, redisUrl, queuePrefix, scheduleMs: [50], command, call });
    await expect(worker.died).resolves.toBe('SIGKILL');
    await rig.startWorker();
    await eventually(() => new Set(idsIn(receiver.requests)).size === EVENTS, { what: 'all', withinMs: 30_000 });
    await rig.untilEmpty(destination.id);
    expect((await rig.deadLetters.list({ account }, { limit: 10 })).items).toEqual([]);
    expect(Math.max(...receiver.requests.map((request) => eventsIn(request).length))).toBeLessThanOrEqual(30);
    const texts = new Map<unknown, string>();
    for (const { headers, text } of receiver.requests) {
      expect(texts.get(headers['webhook-id']) ?? text).toBe(text);
      texts.set(headers['webhook-id'], text);
    }
    // Every event is in one array only, however often that array came.
    expect([...texts.values()].flatMap((text) => JSON.parse(text) as object[])).toHaveLength(EVENTS);
    await rig.close();
    await receiver.close();
  },
  90_000,
);

test.each(['array', 'single'] as const)(
  'the notifier is killed with a request in flight, as %s: the next worker repeats its bytes',
  async (shape) => {
    const kind = 'transactional';
    // The first worker never gets a reply.
    const receiver = await startReceiver({
      reply: ({ headers }) => (headers['webhook-attempt'] === '1' ? { hang: 'reply' } : { status: 204 }),
    });
    const rig = await startRig({ kind, timeoutMs: 30_000 });
    const destination = await rig.destination(uniqueName('account'), receiver.url, inShape(shape));
    await publishVersion2(rig, destination, eventsOf(kind, 0, shape === 'array' ? 9 : 1));
    const redisUrl = await testRedisUrl();
    const worker = await startDoomedWorker({ kind, redisUrl, queuePrefix: rig.queuePrefix, scheduleMs: [50] });
    await receiver.waitForRequests(1, 30_000);
    worker.kill();
    await expect(worker.died).resolves.toBe('SIGKILL');
    await rig.startWorker();
    const [first, second] = await receiver.waitForRequests(2, 30_000);
    expect(second!.text).toBe(first!.text);
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(second!.headers['webhook-attempt']).toBe('2');
    await rig.untilEmpty(destination.id);
    await rig.close();
    await receiver.close();
  },
  90_000,
);
