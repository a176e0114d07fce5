import type { ProducerEvent } from '@mailhook/core';
import { aCampaignEvent, anOpen, eventually, startNameServer, startReceiver, uniqueName } from '@mailhook/testing';
import type { FakeNameServer } from '@mailhook/testing';
import { startRig } from './rig.ts';

describe('while the resolver is away', () => {
  let names: FakeNameServer;

  beforeEach(async () => {
    names = await startNameServer();
    names.setName('receiver.test', ['127.0.0.1']);
    names.setName('missing-server.test', 'servfail');
  });
  afterEach(() => names.close());

  const lookups = (): number => names.questions.filter((question) => question === 'A receiver.test').length;

  test.each([
    ['transactional', (i: number): ProducerEvent => anOpen({ messageId: `m${i}` })],
    ['campaign', (i: number): ProducerEvent => aCampaignEvent({ hash: `hash-${i}` })],
  ] as const)('no %s attempt is used up, and all events leave when it is back', async (kind, eventOf) => {
    const receiver = await startReceiver();
    // One failure would park the destination, and be the last.
    const rig = await startRig({
      kind,
      nameServers: [names.address],
      timeoutMs: 1000,
      breakerFailures: 1,
      scheduleMs: [],
    });
    try {
      const destination = await rig.destination(uniqueName('sub'), `http://receiver.test:${receiver.port}/`);
      names.setAway(true);
      await rig.startWorker();
      const events = Array.from({ length: 20 }, (_, i) => eventOf(i));
      await rig.publish(events, destination);
      await eventually(() => lookups() >= 6, { withinMs: 20_000, what: 'three lookups of two tries' });
      expect(rig.attempts).toEqual([]);
      names.setAway(false);
      await eventually(() => rig.attempts.reduce((sum, attempt) => sum + attempt.events, 0) === events.length, {
        withinMs: 15_000,
        what: 'the delivery of all events',
      });
      expect(new Set(rig.attempts.map(({ status, attempt }) => `${status} ${attempt}`))).toEqual(
        new Set(['delivered 1']),
      );
      expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-attempt']))).toEqual(new Set(['1']));
    } finally {
      await rig.close();
      await receiver.close();
    }
  });

  test('a dead name server of one customer still counts against that customer', async () => {
    const rig = await startRig({ kind: 'transactional', nameServers: [names.address], scheduleMs: [] });
    await rig.startWorker();
    const destination = await rig.destination(uniqueName('sub'), 'http://missing-server.test/');
    await rig.publish([anOpen({ messageId: 'm' })], destination);
    await eventually(() => rig.attempts.length === 1, { what: 'the only attempt' });
    expect(rig.attempts).toMatchObject([
      { status: 'dead', error: 'the receiver could not be reached: the name server failed' },
    ]);
    await rig.close();
  });
});
