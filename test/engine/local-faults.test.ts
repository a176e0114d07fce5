import type { ProducerEvent } from '@mailhook/core';
import {
  aCampaignEvent,
  allAtOnce,
  anOpen,
  eventually,
  startNameServer,
  startReceiver,
  uniqueName,
} from '@mailhook/testing';
import { startRig } from './rig.ts';

const KINDS = [
  ['transactional', (i: number): ProducerEvent => anOpen({ messageId: `m${i}` })],
  ['campaign', (i: number): ProducerEvent => aCampaignEvent({ hash: `hash-${i}` })],
] as const;

/** Publishes events while the resolver is away, then expects all of them to be delivered at their first attempt. */
async function eventsSurviveAbsence([kind, eventOf]: (typeof KINDS)[number]): Promise<void> {
  const names = await startNameServer();
  names.setName('receiver.test', ['127.0.0.1']);
  // The client checks the resolver with a question of type 2 (NS).
  const checks = (): number => names.questions.filter((question) => question.startsWith('2 ')).length;
  const receiver = await startReceiver();
  // A single failure would park the destination and give up the event.
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
    await eventually(() => checks() >= 2, { withinMs: 20_000, what: `two failed lookups, ${kind}` });
    expect(rig.attempts).toEqual([]);
    names.setAway(false);
    await eventually(() => rig.attempts.reduce((sum, attempt) => sum + attempt.events, 0) === events.length, {
      withinMs: 15_000,
      what: `the delivery of all ${kind} events`,
    });
    expect(
      new Set(rig.attempts.map(({ status, attempt, error = '' }) => `${status} ${attempt} ${String(error)}`.trim())),
    ).toEqual(new Set(['delivered 1']));
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-attempt']))).toEqual(new Set(['1']));
  } finally {
    await rig.close();
    await Promise.all([receiver.close(), names.close()]);
  }
}

test('while the resolver is away no attempt is used up, and all events are sent when it is back', async () => {
  // Both kinds wait most of the time, so they run at the same time.
  await allAtOnce(KINDS.map((kind) => eventsSurviveAbsence(kind)));
});
