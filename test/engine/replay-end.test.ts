import { engineQueues } from '@mailhook/core';
import { createDestinationControl, createEraseEvents, createReplayProgress } from '@mailhook/delivery';
import type { ErasedFrom } from '@mailhook/delivery';
import { eventually } from '@mailhook/testing';
import type { ReplayRig } from './replay-rig.suite.ts';
import { startReplayRig } from './replay-rig.suite.ts';
import { idsIn } from './version-2.suite.ts';

const EVENTS = 3;
const HOUR_MS = 3_600_000;

/** A replay that never ended would hold its destination, and a place among those that may run. */
describe('a replay ends', () => {
  let own: ReplayRig;
  beforeEach(async () => (own = await startReplayRig(EVENTS)));
  afterEach(() => own.close());

  const pause = () =>
    createDestinationControl(own.rig.installation).pause(own.destination.id, Date.now() + HOUR_MS, 'customer');
  const resume = () => createDestinationControl(own.rig.installation).resume(own.destination.id, 'customer');
  const resultsOf = (id: string) => createReplayProgress(own.rig.installation).readResults(own.destination.account, id);
  /** Feeds all events into a chunk job, for which no worker runs yet. */
  const feed = async () => {
    const id = await own.startReplay();
    own.startFeeder();
    await eventually(async () => (await own.replays.read(id))?.isFed === true, { what: 'the last page' });
    const job = await own.rig.installation.queue(engineQueues('campaign').chunks, 0).getJob(`p${id}-0`);
    if (job === undefined) throw new Error('no job');
    return { id, job };
  };
  const erase = async (email: string) => {
    const erased: [ErasedFrom, number][] = [];
    await createEraseEvents(
      own.rig.installation,
      own.rig.deadLetters,
    )({
      account: own.destination.account,
      wanted: { email },
      destinations: [own.destination],
      onErased: (from, events) => Promise.resolve(void erased.push([from, events])),
      signal: new AbortController().signal,
    });
    return erased;
  };
  const expectRestDelivered = async (id: string) => {
    await resume();
    await own.untilDone(id);
    expect(await resultsOf(id)).toEqual({ delivered: EVENTS - 1, dead: 1 });
    expect(idsIn(own.receiver.requests).slice(1 - EVENTS)).toEqual(['event-0', 'event-2']);
  };

  it('when the recipient of a waiting event is erased, which counts as dead', async () => {
    const { id } = await feed();
    await pause();
    await own.rig.startWorker();
    await eventually(async () => (await own.rig.mailbox(own.destination.id)).state.replayed === EVENTS, {
      what: 'waiting events',
    });
    expect(await erase('event-1@example.com')).toEqual([['waiting', 1]]);
    await expectRestDelivered(id);
  });

  it('when the recipient of an event in a resend is erased, which counts as dead', async () => {
    own.receiver.setReply(async () => {
      await pause();
      return { status: 500 };
    });
    const { id } = await feed();
    await own.rig.startWorker();
    await eventually(async () => (await own.rig.resendsOf(own.destination.id)).length === 1, { what: 'a resend' });
    expect((await own.replays.read(id))?.state).toBe('running');
    own.receiver.setReply(() => ({ status: 204 }));
    expect(await erase('event-1@example.com')).toEqual([['resends', 1]]);
    await expectRestDelivered(id);
  });

  it('when the log was off while its events were delivered', async () => {
    const { id } = await feed();
    await own.rig.log.switchOff();
    await own.rig.startWorker();
    await eventually(() => idsIn(own.receiver.requests).length === EVENTS, { what: 'all events' });
    await own.rig.log.switchOn(1_000_000);
    await own.untilDone(id);
  });

  it('when Redis has lost its events', async () => {
    const { id, job } = await feed();
    await job.remove();
    await own.untilDone(id);
  });

  it('when the job of its page failed', async () => {
    const { id, job } = await feed();
    await job.updateData({});
    await own.rig.startWorker();
    await own.untilDone(id);
  });
});
