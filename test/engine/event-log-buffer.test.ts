import type { Mechanism, ProducerEvent } from '@mailhook/core';
import { derivedHash, eventOfFields, fragmentHash, identityText, shardOf } from '@mailhook/core';
import { fragmentOf } from '@mailhook/delivery';
import { outcomeKey } from '@mailhook/event-log';
import { acknowledge, aCampaignEvent, anOpen, eventually, startReceiver, uniqueName } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import { hash } from 'node:crypto';
import type { Rig } from './rig.ts';
import { startRig } from './rig.ts';
import { eventsOf, inShape } from './version-2.suite.ts';

const KINDS: readonly Mechanism[] = ['campaign', 'transactional'];
const MOST = { chunks: 100, outcomes: 100, bytes: 1_000_000 };
const keyOf = (text: string): string => outcomeKey(text).toString('hex');
const sha256 = (text: string): string => hash('sha256', text, 'base64url');

describe.each(KINDS)('%s: the buffer of the event log', (kind) => {
  const SHAPE = kind === 'campaign' ? 'array' : 'single';
  let rig: Rig;
  let receiver: FakeReceiver;
  const start = async (logMaxBytes = 1_000_000) => {
    rig = await startRig({ kind, scheduleMs: [10], logMaxBytes });
  };
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await rig.close();
    await receiver.close();
  });

  const read = () => rig.log.read(MOST);
  const chunksOnce = async (count: number) => {
    await eventually(async () => (await read()).chunks.length >= count, { what: `${count} chunks in the buffer` });
    return (await read()).chunks;
  };
  const outcomesOnce = async (count: number) => {
    await eventually(async () => (await read()).outcomes.length >= count, { what: `${count} outcomes in the buffer` });
    return (await read()).outcomes;
  };
  const publish = (events: readonly ProducerEvent[], destinations: readonly string[], chunkId?: string) =>
    rig.publisher.publish(
      events.map((event) => ({
        event,
        destinations: destinations.map((id) => ({ id, version: 2, isSingle: kind === 'transactional' })),
      })),
      chunkId,
    );
  const ownEvents = (account: string, from: number, to: number) =>
    eventsOf(kind, from, to).map((event) => ({ ...event, account }));

  it('holds each event once, as the producer sent it, also without a destination, and not a repeated id', async () => {
    await start();
    const account = uniqueName('account');
    const { id } = await rig.destination(account, receiver.url, inShape(SHAPE));
    await rig.startWorker();
    const events = ownEvents(account, 0, 3);
    await publish(events, [id]);
    await chunksOnce(1);
    await publish(ownEvents(account, 2, 5), []);
    const chunks = await chunksOnce(2);
    const found = chunks.flatMap((chunk) => chunk.events.map((event) => [eventOfFields(event), event.destinations]));
    expect(found).toEqual([
      ...events.map((event) => [event, [id]]),
      ...ownEvents(account, 3, 5).map((event) => [event, []]),
    ]);
    expect(await rig.log.oldestOpen()).toBeUndefined();
    await eventually(async () => (await rig.countUndelivered()) === 0, { what: 'no undelivered events' });
  });

  it('holds what became of the events, under their keys', async () => {
    await start();
    const account = uniqueName('account');
    const { id } = await rig.destination(account, receiver.url, inShape(SHAPE));
    await rig.startWorker();
    const [event] = ownEvents(account, 0, 1);
    await publish([event as ProducerEvent], [id]);
    const [outcome] = await outcomesOnce(1);
    expect(outcome).toMatchObject({ result: 'delivered', account, destination: id, attempt: 1, replay: '' });
    expect(outcome?.webhookId).toBe(receiver.requests[0]?.headers['webhook-id']);
    expect(outcome?.keys.toString('hex')).toBe(keyOf('event-0'));
  });

  it('names events of version 1 by their hash or the stem of their webhook-id', async () => {
    await start();
    receiver.setReply(({ json }) => (kind === 'campaign' ? acknowledge(json) : { status: 204 }));
    const account = uniqueName('account');
    const destination = await rig.destination(account, receiver.url);
    await rig.startWorker();
    const event = kind === 'campaign' ? aCampaignEvent({ account }) : anOpen({ account });
    await rig.publish([event], destination);
    const [outcome] = await outcomesOnce(1);
    const [chunk] = await chunksOnce(1);
    const name =
      event.module === 'campaign'
        ? (event.hash ?? derivedHash(identityText(event), sha256))
        : `msg_${chunk?.events[0]?.chunk}_${chunk?.events[0]?.n.toString(36)}`;
    if (kind === 'campaign') expect(fragmentHash(fragmentOf(event, 1, sha256))).toBe(name);
    expect(outcome?.keys.toString('hex')).toBe(keyOf(name));
  });

  it('holds given-up, redriven and discarded events', async () => {
    await start();
    receiver.setReply(() => ({ status: 500 }));
    const account = uniqueName('account');
    const { id } = await rig.destination(account, receiver.url, inShape(SHAPE));
    await rig.startWorker();
    await publish(ownEvents(account, 0, 1), [id]);
    await outcomesOnce(1);
    const [letter] = (await rig.deadLetters.list({}, { limit: 10 })).items;
    await rig.deadLetters.redrive({ ids: [letter?.id ?? ''] });
    await outcomesOnce(3);
    const [second] = (await rig.deadLetters.list({}, { limit: 10 })).items;
    await rig.deadLetters.discard({ account, ids: [second?.id ?? ''] });
    const outcomes = await outcomesOnce(4);
    expect(outcomes.map(({ result }) => result)).toEqual(['dead', 'waiting', 'dead', 'discarded']);
    expect(new Set(outcomes.map(({ keys }) => keys.toString('hex')))).toEqual(new Set([keyOf('event-0')]));
  });

  it('holds the failed and the waiting event of a deleted destination', async () => {
    await start();
    const account = uniqueName('account');
    let release = (): void => undefined;
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    receiver.setReply(async () => {
      await isReleased;
      return { status: 500 };
    });
    const destination = await rig.destination(account, receiver.url, inShape(SHAPE));
    await rig.startWorker();
    await publish(ownEvents(account, 0, 1), [destination.id]);
    await receiver.waitForRequests(1);
    await publish(ownEvents(account, 1, 2), [destination.id]);
    await chunksOnce(2);
    await rig.registry.remove(destination);
    release();
    const results = (await outcomesOnce(2)).map(({ result, attempt }) => [result, attempt]);
    expect(results).toEqual([
      ['discarded', 1],
      ['discarded', 0],
    ]);
  });

  it('gives its beginning away once, and counts what it has no room for', async () => {
    await start(1000);
    const account = uniqueName('account');
    await rig.startWorker();
    await publish(ownEvents(account, 0, 1), []);
    await chunksOnce(1);
    const first = await read();
    await publish(ownEvents(account, 10, 30), []);
    await eventually(async () => (await read()).gaps.length === 1, { what: 'a gap' });
    expect((await read()).gaps).toEqual([expect.objectContaining({ account, events: 20 })]);
    expect(await rig.log.trim(first.read)).toBe(true);
    expect(await rig.log.trim(first.read)).toBe(false);
    const rest = await rig.log.take(MOST);
    expect([rest.chunks.length, rest.gaps.length]).toEqual([0, 1]);
    expect(await rig.log.trim(rest.read)).toBe(true);
    expect((await read()).gaps).toEqual([]);
    expect((await rig.log.readState()).bytes).toBe(0);
  });

  it('holds the events of accounts in several shards, each id once', async () => {
    rig = await startRig({ kind, scheduleMs: [10], logMaxBytes: 1_000_000, shards: 2 });
    const accountIn = (shard: number): string => {
      for (;;) {
        const name = uniqueName('account');
        if (shardOf(name, 2) === shard) return name;
      }
    };
    const [near, far] = [accountIn(0), accountIn(1)];
    const destinations = await Promise.all(
      [near, far].map((account) => rig.destination(account, receiver.url, inShape(SHAPE))),
    );
    await rig.startWorker();
    const request = [near, far].map((account, i) => ({
      event: ownEvents(account, 0, 1)[0] as ProducerEvent,
      destinations: [{ id: destinations[i]?.id ?? '', version: 2 as const, isSingle: SHAPE === 'single' }],
    }));
    await rig.publisher.publish(request);
    await chunksOnce(1);
    await rig.publisher.publish(request);
    const chunks = await chunksOnce(2);
    expect(chunks.map(({ events }) => events.map(({ account }) => account))).toEqual([[near, far], []]);
    await receiver.waitForRequests(2);
  });

  it('holds a chunk of a producer that feeds Redis once', async () => {
    await start();
    await rig.startWorker();
    const events = ownEvents(uniqueName('account'), 0, 1);
    await publish(events, [], 'job-1');
    await chunksOnce(1);
    await rig.log.trim((await read()).read);
    await publish(events, [], 'job-1');
    await eventually(async () => (await rig.log.oldestOpen()) === undefined, { what: 'the end of the second job' });
    expect((await read()).chunks).toEqual([]);
  });
});
