import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '@mailhook/testing';
import type { NextRequest } from '../mailbox/commands.ts';
import { delivered, failed } from '../mailbox/mailbox-rig.suite.ts';
import type { DrainReply } from '../mailbox/replies.ts';
import type { LongPath } from '../mailbox/single.ts';
import type { Drain, Flight } from './drain.ts';
import { newDrain } from './drain.ts';
import { NextCaller } from './next-caller.ts';

const CLOSED = { failures: 0, parkMs: 0, parkedUntilMs: 0 };
const idle = ({ destination, token }: NextRequest): DrainReply => ({
  destination,
  token,
  status: 'idle',
  breaker: CLOSED,
  target: undefined,
  batches: [],
});

/** A drain with failed batches to write, of `chars` characters each. */
function failedDrain(destination: string, batches: number, chars: number): Drain {
  const drain = newDrain(destination, 'w_1', CLOSED, 0);
  for (let i = 0; i < batches; i += 1) {
    drain.settles.push(failed(`b${i}`, 1000, { body: 'x'.repeat(chars) }));
  }
  return drain;
}

/** A drain that was claimed on the short path, after the delivery of its batch. */
function deliveredDrain(destination: string): Drain {
  const drain = newDrain(destination, 'w_1', CLOSED, 0);
  drain.isSingle = true;
  drain.target = { account: 'account' } as NonNullable<Drain['target']>;
  drain.settles.push(delivered(`${destination}_0_1`));
  return drain;
}

describe('calls of the script next', () => {
  const replies: string[] = [];
  beforeEach(() => replies.splice(0));
  const newCaller = (
    next: (requests: readonly NextRequest[]) => Promise<DrainReply[]>,
    nextSingle: () => Promise<(DrainReply | LongPath)[]> = () => Promise.reject(new Error('not expected')),
  ) =>
    new NextCaller({
      commands: {
        next: async (requests) => ({ replies: await next(requests), follow: new Set<string>() }),
        nextSingle,
      },
      limits: { batchMax: 1000, windowMax: 4, maxAgeMs: 1000 },
      mayFreeze: () => true,
      onReply: (drain) => replies.push(drain.destination),
      onSettled: () => undefined,
      onRefused: () => undefined,
      onGone: () => undefined,
      onError: () => undefined,
    });

  test('carry a bounded size of bodies and leave the rest to the next call', async () => {
    const sizes: number[] = [];
    const calls = newCaller((requests) => {
      const records = requests.flatMap(({ settles }) => settles.flatMap(({ followUps }) => followUps));
      sizes.push(records.reduce((sum, { body = '' }) => sum + body.length, 0));
      return Promise.resolve(requests.map(idle));
    });
    for (let i = 0; i < 40; i += 1) calls.ask(failedDrain(`d${i}`, 4, 1_000_000));
    await eventually(() => replies.length === 40, { what: 'a reply to each' });
    expect(Math.max(...sizes)).toBeLessThanOrEqual(12_000_000);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(160_000_000);
  });

  test('serve the other drains when one drain always fails with an internal error', async () => {
    const calls = newCaller((requests) =>
      requests.some(({ destination }) => destination === 'poison')
        ? Promise.reject(new RangeError('Invalid string length'))
        : Promise.resolve(requests.map(idle)),
    );
    for (const name of ['a', 'poison', 'b', 'c']) calls.ask(failedDrain(name, 1, 10));
    await eventually(() => replies.length === 3, { what: 'replies to the three others' });
    expect(replies.sort()).toEqual(['a', 'b', 'c']);
  });

  test('are repeated after Redis was away, with the ids of the batches in flight', async () => {
    const asked: NextRequest['inFlight'][] = [];
    const calls = newCaller((requests) => {
      asked.push(...requests.map(({ inFlight }) => inFlight));
      return asked.length === 1
        ? Promise.reject(new Error('Connection is closed.'))
        : Promise.resolve(requests.map(idle));
    });
    const drain = failedDrain('a', 1, 10);
    drain.inFlight.push({ batch: { id: 'b7', lane: 'f' } } as Flight);
    calls.ask(drain);
    await eventually(() => replies.length === 1, { what: 'the reply' });
    expect(asked).toEqual([1, ['b7']]);
  });

  test('are not needed for a drain whose only batch was delivered, unless it needs the long path', async () => {
    const settled: number[] = [];
    const calls = newCaller(
      (requests) => {
        settled.push(...requests.map(({ settles }) => settles.length));
        return Promise.resolve(requests.map(idle));
      },
      () => Promise.resolve([idle({ destination: 'a' } as NextRequest), 'settled', 'unchanged']),
    );
    const drains = ['a', 'b', 'c'].map(deliveredDrain);
    for (const drain of drains) calls.ask(drain);
    await eventually(() => replies.length === 3, { what: 'replies to all' });
    expect({ replies, settled }).toEqual({ replies: ['a', 'b', 'c'], settled: [0, 1] });
    expect(drains.map(({ isSingle }) => isSingle)).toEqual([true, false, false]);
  });

  test('settle again what a call of nextSingle with a lost reply may have settled', async () => {
    const asked: NextRequest[] = [];
    const calls = newCaller(
      (requests) => {
        asked.push(...requests);
        return Promise.resolve(requests.map(idle));
      },
      () => Promise.reject(new Error('Connection is closed.')),
    );
    calls.ask(deliveredDrain('a'));
    await eventually(() => replies.length === 1, { what: 'the reply' });
    expect(asked).toMatchObject([{ settles: [{ batch: 'a_0_1' }], inFlight: [] }]);
  });

  test('are not repeated after a stop', async () => {
    let calls = 0;
    const caller = newCaller(() => {
      calls += 1;
      caller.stop();
      return Promise.reject(new Error('Connection is closed.'));
    });
    caller.ask(failedDrain('a', 1, 10));
    await eventually(() => calls === 1, { what: 'the call' });
    // The pause before the first repetition is 20 ms.
    await wait(100);
    expect(calls).toBe(1);
  });
});
