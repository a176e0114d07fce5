import { validateEvent } from '@mailhook/core';
import type { ReceivedRequest } from '../receiver/receiver.ts';
import { readDelivery } from '../receiver/reply.ts';
import { makeSamples } from './samples.ts';
import { createPlay, tellRequest } from './script.ts';

const samples = makeSamples('account-1', new Date('2026-01-01T00:00:00Z'));
const request = (json: unknown, attempt = 1): ReceivedRequest => ({
  number: 1,
  receivedAt: new Date(0),
  path: '/',
  headers: {},
  attempt,
  delivery: readDelivery(json),
  body: '',
});
/** A sample as the bodies of both versions have it. */
const [firstClick] = samples.transactional.filter(({ name }) => name === 'click');
const version1 = ({ name, messageId, time }: (typeof samples.transactional)[number]) => ({ name, messageId, time });
const version2 = ({ name, ...fields }: (typeof samples.transactional)[number]) => ({
  version: 2,
  event: name,
  ...fields,
});
const event = (name: string, campaign = samples.campaignId) => ({
  event: name,
  campaign,
  hash: `hash-of-${name}`,
  attempt: 1,
});

test('the play fails the first click and the first unsubscribe, and is over when all samples are taken', () => {
  const play = createPlay(samples);

  const statuses = samples.transactional.map((sample) => [sample.name, play.answer(request(version1(sample))).status]);
  expect(statuses).toEqual(samples.transactional.map(({ name }) => [name, name === 'click' ? 500 : 200]));
  const names = samples.campaign.map((sample) => sample.event);
  const first = play.answer(request(names.map((name) => event(name))));
  const acknowledged = names.filter((name) => name !== 'unsubscribe');
  expect(JSON.parse(first.body)).toEqual(acknowledged.map((name) => ({ hash: `hash-of-${name}`, status: true })));
  expect(play.isOver).toBe(false);

  expect(play.answer(request(firstClick && version1(firstClick))).status).toBe(200);
  expect(play.isOver).toBe(false);
  const second = play.answer(request([event('unsubscribe')], 2));
  expect(JSON.parse(second.body)).toEqual([{ hash: 'hash-of-unsubscribe', status: true }]);
  expect(play.isOver).toBe(true);
});

test('events other than the samples are taken and do not count', () => {
  const play = createPlay(samples);
  expect(play.answer(request({ name: 'click', messageId: 'of somebody else' })).status).toBe(200);
  const reply = play.answer(request(Array.from({ length: 9 }, () => event('unsubscribe', 'another000'))));
  expect(JSON.parse(reply.body)).toHaveLength(9);
  expect(play.isOver).toBe(false);
});

test('the terminal shows how the receiver answered', () => {
  const both = request([event('open'), event('unsubscribe')], 2);
  const part = { status: 200, body: '[{"hash":"hash-of-open","status":true}]' };
  expect(tellRequest(both, part)).toBe(
    'batch of 2 (open, unsubscribe), attempt 2: acknowledged all but unsubscribe, so that one will come again, alone',
  );
  expect(tellRequest(request({ name: 'click' }), { status: 500, body: '' })).toBe(
    'notification click, attempt 1: answered 500 on purpose, so it will come again',
  );
});

test('samples that go to an address of a person are not waited for', () => {
  const play = createPlay({ ...samples, campaign: [] });
  for (const sample of [...samples.transactional, ...samples.transactional]) play.answer(request(version1(sample)));
  expect(play.isOver).toBe(true);
});

test('the play takes events of version 2, alone and in arrays, and fails the first array with a click', () => {
  const play = createPlay({ ...samples, campaign: [] });
  const [sent, ...others] = samples.transactional.map(version2);
  expect(play.answer(request(sent)).status).toBe(200);
  const array = request(others);
  expect([play.answer(array).status, play.isOver]).toEqual([500, false]);
  const reply = play.answer(array);
  expect([reply.status, play.isOver]).toEqual([200, true]);
  expect(tellRequest(array, reply)).toBe(
    'array of 7 (delivered, open by a program, open, click, unsubscribe, bounce 5.1.1, complaint), attempt 1: ' +
      'answered 200, delivered',
  );
});

test('the samples are events that Mailhook accepts, in the order of a life', () => {
  for (const event of [...samples.transactional, ...samples.campaign])
    expect(validateEvent(event)).toEqual({ value: event });
  const times = samples.transactional.filter(({ messageId }) => messageId?.endsWith('-1')).map(({ time }) => time);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(times.at(-1)).toBeLessThanOrEqual(new Date('2026-01-01T00:00:00Z').getTime() / 1000);
});
