import { countConfirmed, readDelivery, replyByPlan } from './reply.ts';
import type { AckMode } from './reply.ts';

const batch = readDelivery([
  { event: 'open', campaign: 'c123456789', hash: 'hash-00001', attempt: 1 },
  { event: 'click', campaign: 'c123456789', hash: 'hash-00002', attempt: 1 },
  { event: 'click', campaign: 'c123456789', hash: 'hash-00003', attempt: 1 },
]);
const plan = { status: undefined, ack: 'all' as AckMode, failFirst: 0 };

test.each([
  [[{ hash: 'a' }], 'batch'],
  [[{ version: 2, event: 'open' }], 'array'],
  [[], 'batch'],
  [{ name: 'open' }, 'notification'],
  [{ version: 2, event: 'open' }, 'notification'],
  [{ test: 'ping' }, 'connection test'],
  [{}, 'other'],
  [null, 'other'],
  ['text', 'other'],
])('%j is a %s', (body, kind) => {
  expect(readDelivery(body).kind).toBe(kind);
});

test.each([
  ['all', 3],
  ['half', 2],
  ['none', 0],
] as const)('--ack %s acknowledges %i of 3 events', (ack, confirmed) => {
  const reply = replyByPlan({ ...plan, ack }, batch, 1);
  expect(reply.status).toBe(200);
  expect(JSON.parse(reply.body)).toHaveLength(confirmed);
  expect(countConfirmed(reply.body)).toBe(confirmed);
});

test('--ack garbage answers 200 with a body that is not JSON', () => {
  const reply = replyByPlan({ ...plan, ack: 'garbage' }, batch, 1);
  expect(reply.status).toBe(200);
  expect(() => JSON.parse(reply.body) as unknown).toThrow(SyntaxError);
  expect(countConfirmed(reply.body)).toBe(0);
});

test('every acknowledgement item has the hash and status true', () => {
  expect(JSON.parse(replyByPlan({ ...plan, ack: 'half' }, batch, 1).body)).toEqual([
    { hash: 'hash-00001', status: true },
    { hash: 'hash-00002', status: true },
  ]);
});

test('a connection test passes', () => {
  expect(replyByPlan(plan, readDelivery({ test: 'x' }), 1)).toEqual({ status: 200, body: '{"status":"ok"}' });
});

test('--status sets the status of every reply', () => {
  const replies = [1, 2, 3].map((number) => replyByPlan({ ...plan, status: 404 }, batch, number));
  expect(replies).toEqual(Array.from({ length: 3 }, () => ({ status: 404, body: '' })));
});

test.each([
  [undefined, [500, 500, 200]],
  [429, [429, 429, 200]],
])('--fail-first 2 with --status %s', (status, expected) => {
  const statuses = [1, 2, 3].map((number) => replyByPlan({ ...plan, status, failFirst: 2 }, batch, number).status);
  expect(statuses).toEqual(expected);
});
