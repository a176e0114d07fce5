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
const notification = (name: string) => request({ name, messageId: samples.messageId });
const event = (name: string, campaign = samples.campaignId) => ({
  event: name,
  campaign,
  hash: `hash-of-${name}`,
  attempt: 1,
});

test('the play fails the first click, does not acknowledge the first unsubscribe, and is over when all samples are taken', () => {
  const play = createPlay(samples);

  const statuses = samples.transactional.map(({ name }) => [name, play.answer(notification(name)).status]);
  expect(statuses).toEqual(samples.transactional.map(({ name }) => [name, name === 'click' ? 500 : 200]));
  const names = samples.campaign.map((sample) => sample.event);
  const first = play.answer(request(names.map((name) => event(name))));
  const acknowledged = names.filter((name) => name !== 'unsubscribe');
  expect(JSON.parse(first.body)).toEqual(acknowledged.map((name) => ({ hash: `hash-of-${name}`, status: true })));
  expect(play.isOver).toBe(false);

  expect(play.answer(notification('click')).status).toBe(200);
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
  expect(tellRequest(notification('click'), { status: 500, body: '' })).toContain('answered 500 on purpose');
});

test('samples that go to an address of a person are not waited for', () => {
  const play = createPlay({ ...samples, campaign: [] });
  for (const { name } of [...samples.transactional, ...samples.transactional]) play.answer(notification(name));
  expect(play.isOver).toBe(true);
});
