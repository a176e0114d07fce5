import { batchBody, campaignFragment, acknowledgedHashes } from '@mailhook/core';
import { bodyOf, eventAt, hashOf, shuffledDestinations } from './events.ts';
import { createTally } from './tally.ts';

function campaignEvent(seq: number) {
  const event = eventAt('campaign', seq, 'acme');
  if (event.module !== 'campaign') throw new Error('a campaign event was wanted');
  return event;
}

const hashesOf = (body = '[]') => acknowledgedHashes(JSON.parse(body) as unknown[]);
const batchOf = (...seqs: number[]): string =>
  batchBody(seqs.map((seq) => campaignFragment(campaignEvent(seq), hashOf(campaignEvent(seq)))).join('\n'), 1);

test('a batch is acknowledged event by event, and counted by its events', () => {
  const tally = createTally({ kind: 'campaign', events: 10 });
  const reply = tally.take(0, batchOf(2, 7, 9), 123);
  expect([...hashesOf(reply?.body)]).toEqual([2, 7, 9].map((seq) => hashOf(campaignEvent(seq))));
  tally.take(0, batchOf(7), 456);
  expect(tally.count()).toMatchObject({ distinct: 3, doubled: 1, requests: 2, firstMs: 123, lastMs: 456 });
  expect([...tally.arrivals()]).toEqual([0, 0, 123, 0, 0, 0, 0, 123, 0, 123]);
});

test("plain's batches are read too", () => {
  const tally = createTally({ kind: 'campaign', events: 10 });
  const reply = tally.take(
    0,
    JSON.stringify([3, 4].map((seq) => ({ ...bodyOf(eventAt('campaign', seq, 'acme')), attempt: 1 }))),
    1,
  );
  expect(tally.count().distinct).toBe(2);
  expect(hashesOf(reply?.body).size).toBe(2);
});

test('an array is counted by its events', () => {
  const tally = createTally({ kind: 'transactional', events: 10 });
  const bodies = [3, 4].map((seq) => bodyOf(eventAt('transactional', seq, 'acme')));
  expect(tally.take(0, JSON.stringify(bodies), 1)).toMatchObject({ status: 200 });
  expect(tally.count()).toMatchObject({ distinct: 2, requests: 1 });
});

test('refused or hanging requests do not count as arrived', () => {
  const tally = createTally({ kind: 'transactional', events: 10, behaviour: { hanging: 1 } });
  const body = JSON.stringify(bodyOf(eventAt('transactional', 5, 'acme')));
  expect(tally.take(0, body, 1)).toBeUndefined();
  tally.behave({ status: 503 });
  expect(tally.take(1, body, 2)).toMatchObject({ status: 503 });
  expect(tally.count()).toMatchObject({ distinct: 0, requests: 2, refused: 1 });
  tally.behave({});
  expect(tally.take(1, body, 3)).toMatchObject({ status: 200 });
  expect(tally.arrivals()[5]).toBe(3);
});

test('waiting ends with the last event or at the time limit', async () => {
  const tally = createTally({ kind: 'transactional', events: 2 });
  const until = tally.until(1, 60_000);
  tally.take(0, JSON.stringify(bodyOf(eventAt('transactional', 1, 'acme'))), 9);
  expect((await until).distinct).toBe(1);
  expect((await tally.until(2, 1)).distinct).toBe(1);
});

test('every destination gets the same number of events, in an order that is always the same', () => {
  const order = [...shuffledDestinations(1000, 20)];
  expect(order).toEqual([...shuffledDestinations(1000, 20)]);
  expect(order).not.toEqual([...order].sort((a, b) => a - b));
  for (let i = 0; i < 20; i += 1) expect(order.filter((destination) => destination === i)).toHaveLength(50);
});
