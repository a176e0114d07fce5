import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { eventually } from '@mailhook/testing';
import type { AppendGroup } from '../mailbox/entry.ts';
import type { NextRequest } from '../mailbox/commands/engine.ts';
import { failed } from '../mailbox/mailbox-rig.suite.ts';
import type { DrainReply } from '../mailbox/replies.ts';
import type { Attempt } from '../record/attempt.ts';
import { NO_STATE } from '../mailbox/state.ts';
import type { CountsByProven } from '../mailbox/commands/engine.ts';
import { AppendCalls, NextCalls, TakeCalls } from './calls.ts';
import { aBatch, aState } from './attempt-samples.suite.ts';
import { Drain } from './drain.ts';
import { GATHERED_MAX } from './limits.ts';
import { createRuntime } from './runtime.ts';

const idle = ({ destination }: NextRequest): DrainReply => ({
  destination,
  status: 'idle',
  state: NO_STATE,
  nowMs: 0,
  target: undefined,
  batches: [],
});

/** A drain with failed batches to write, of `chars` characters each, and `batches` in flight. */
function failedDrain(destination: string, failures: number, chars: number, batches: readonly string[] = []): Drain {
  const reply = { ...idle({ destination } as NextRequest), status: 'ok' as const, state: aState() };
  const drain = new Drain(reply, 0);
  drain.onReply({ ...reply, batches: batches.map((id) => aBatch({ id })) }, 0, false);
  for (let i = 0; i < failures; i += 1) {
    const body = 'x'.repeat(chars);
    drain.onAttempt(blocked, failed(`b${i}`, 1000, { body }), RULES);
  }
  return drain;
}

/** A drain whose only batch was delivered. */
function deliveredDrain(destination: string, change: Partial<DrainReply['state']> = {}): Drain {
  const reply = { ...idle({ destination } as NextRequest), status: 'ok' as const, state: { ...aState(), ...change } };
  const drain = new Drain(reply, 0);
  const { flights } = drain.onReply({ ...reply, batches: [aBatch({ id: 'b' })] }, 0, false);
  for (const flight of flights) drain.endFlight(flight);
  drain.onAttempt(blocked, { batch: 'b', attempt: 1, delivered: 1, followUps: [] }, RULES);
  return drain;
}

const RULES = { breaker: { failures: 1, parkMaxMs: 1 }, windowMax: 4, nowMs: 0 };

/** Shows nothing about the receiver. */
const blocked = { sent: { outcome: { name: 'blocked' } } } as Attempt;

describe('calls of next', () => {
  const replies: string[] = [];
  beforeEach(() => replies.splice(0));
  const newCaller = (next: (requests: readonly NextRequest[]) => Promise<DrainReply[]>, isAwaited = false) =>
    new NextCalls({
      commands: { next: async (requests) => ({ replies: await next(requests), follow: new Set<string>() }) },
      limits: { batchMax: 1000, windowMax: 4, maxAgeMs: 1000 },
      runtime: createRuntime(),
      mayFreeze: () => true,
      isAwaited: () => isAwaited,
      onReply: (drain) => replies.push(drain.destination),
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

  test('are not made for drains that ended in the same turn', async () => {
    let made = 0;
    const calls = newCaller((requests) => {
      made += 1;
      return Promise.resolve(requests.map(idle));
    });
    const drain = failedDrain('d', 1, 1);
    calls.ask(drain);
    calls.forget(drain);
    await turn();
    await turn();
    expect(made).toBe(0);
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

  test('serve the other drains when the reply to one cannot be applied, and ask again for that one', async () => {
    let faults = 0;
    const seen: string[] = [];
    const calls = new NextCalls({
      commands: { next: (requests) => Promise.resolve({ replies: requests.map(idle), follow: new Set<string>() }) },
      limits: { batchMax: 1000, windowMax: 4, maxAgeMs: 1000 },
      runtime: createRuntime(),
      mayFreeze: () => true,
      isAwaited: () => false,
      onReply: ({ destination }) => {
        if (destination === 'poison' && faults === 0) throw new TypeError('a bug');
        seen.push(destination);
      },
      onError: () => (faults += 1),
    });
    for (const name of ['a', 'poison', 'b']) calls.ask(failedDrain(name, 1, 10));
    await eventually(() => seen.length === 3, { what: 'replies to all' });
    expect(seen).toEqual(['a', 'b', 'poison']);
    expect(faults).toBe(1);
  });

  test('are repeated after an error before they were sent', async () => {
    const seen: string[] = [];
    let isBroken = true;
    const calls = new NextCalls({
      commands: { next: (requests) => Promise.resolve({ replies: requests.map(idle), follow: new Set<string>() }) },
      limits: { batchMax: 1000, windowMax: 4, maxAgeMs: 1000 },
      runtime: createRuntime(),
      mayFreeze: () => {
        if (isBroken) throw new TypeError('a bug');
        return true;
      },
      isAwaited: () => false,
      onReply: ({ destination }) => seen.push(destination),
      onError: () => undefined,
    });
    calls.ask(failedDrain('a', 1, 10));
    await turn();
    await turn();
    isBroken = false;
    await eventually(() => seen.includes('a'), { what: 'the reply' });
  });

  test('are repeated after Redis was away, with the ids of the batches in flight', async () => {
    const asked: Pick<NextRequest, 'inFlight' | 'isLost'>[] = [];
    const calls = newCaller((requests) => {
      asked.push(...requests.map(({ inFlight, isLost }) => ({ inFlight, isLost })));
      return asked.length === 1
        ? Promise.reject(new Error('Connection is closed.'))
        : Promise.resolve(requests.map(idle));
    });
    calls.ask(failedDrain('a', 1, 10, ['b7']));
    await eventually(() => replies.length === 1, { what: 'the reply' });
    expect(asked).toEqual([
      { inFlight: ['b7'], isLost: false },
      { inFlight: ['b7'], isLost: true },
    ]);
  });

  test.each([
    ['gather successes of drains that have nothing more to send', false],
    ['do not gather them while destinations wait for a worker', true],
  ])('%s', async (_, isAwaited) => {
    let calls = 0;
    const caller = newCaller((requests) => {
      calls += 1;
      return Promise.resolve(requests.map(idle));
    }, isAwaited);
    // Each in a turn of its own.
    for (let i = 0; i < 10; i += 1) {
      caller.ask(deliveredDrain(`d${i}`));
      await turn();
      await turn();
    }
    await eventually(() => replies.length === 10, { what: 'a reply to each' });
    expect(calls === 10).toBe(isAwaited);
  });

  test('take gathered successes along with any other step', async () => {
    let calls = 0;
    const caller = newCaller((requests) => {
      calls += 1;
      return Promise.resolve(requests.map(idle));
    });
    caller.ask(deliveredDrain('a'));
    caller.ask(failedDrain('b', 1, 10));
    await eventually(() => replies.length === 2, { what: 'a reply to both' });
    expect(calls).toBe(1);
  });

  test('are sent immediately when many successes wait, or when more events wait', async () => {
    const asked: number[] = [];
    const calls = newCaller((requests) => {
      asked.push(requests.length);
      return Promise.resolve(requests.map(idle));
    });
    for (let i = 0; i < GATHERED_MAX; i += 1) calls.ask(deliveredDrain(`d${i}`));
    await eventually(() => replies.length === GATHERED_MAX, { what: 'the replies' });
    const drain = deliveredDrain('more');
    drain.onAppended();
    expect([asked, drain.mayWait, deliveredDrain('e', { fresh: 1 }).mayWait]).toEqual([[GATHERED_MAX], false, false]);
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

const NONE: CountsByProven = { proven: 0, others: 0 };
test.each([
  ['succeeds', false],
  ['fails', true],
])('a note during a take is not lost when the take %s', async (_, isFailing) => {
  const wanted: CountsByProven[] = [];
  const calls: TakeCalls = new TakeCalls({
    take: (most) => {
      wanted.push(most);
      // Redis has counted the waiting destinations before these began to wait.
      if (wanted.length === 1) calls.noteWaiting({ proven: 0, others: 3 });
      return isFailing && wanted.length === 1
        ? Promise.reject(new Error('no Redis'))
        : Promise.resolve({ replies: [], waiting: NONE });
    },
    room: () => ({ proven: 10, others: 10 }),
    onEnd: () => undefined,
    onError: () => undefined,
  });
  calls.noteWaiting({ proven: 1, others: 0 });
  await new Promise(setImmediate);
  expect(wanted).toEqual([
    { proven: 10, others: 0 },
    { proven: 0, others: 10 },
  ]);
  expect(calls.waiting).toEqual(NONE);
});

describe('appends', () => {
  let room: number;
  let mayWait: boolean;
  let started: string[];
  let end: Map<string, () => void>;
  let calls: AppendCalls;

  beforeEach(() => {
    room = 192;
    mayWait = true;
    started = [];
    end = new Map();
    calls = new AppendCalls({ hasRoom: (destinations) => room >= destinations, mayWait: () => mayWait });
  });

  const append = (name: string, destinations: number): Promise<string> =>
    calls.run(groupsOf(destinations), () => {
      started.push(name);
      room -= destinations;
      return new Promise((resolve) => end.set(name, () => resolve(name)));
    });

  test('start in their order when there is room for all their destinations', async () => {
    const first = append('first', 125);
    void append('second', 125);
    void append('third', 10);
    expect(started).toEqual(['first']);
    expect(calls.isAnyWaiting).toBe(true);
    room = 124;
    calls.startSome();
    expect(started).toEqual(['first']);
    room = 135;
    calls.startSome();
    expect(started).toEqual(['first', 'second', 'third']);
    expect(calls.isAnyWaiting).toBe(false);
    end.get('first')?.();
    expect(await first).toBe('first');
  });

  test('start without room as soon as they need not wait for it', () => {
    room = 0;
    void append('first', 10);
    void append('second', 10);
    mayWait = false;
    calls.startSome();
    expect(started).toEqual(['first', 'second']);
  });

  test('reject with the error of their call', async () => {
    await expect(calls.run(groupsOf(1), () => Promise.reject(new Error('no Redis')))).rejects.toThrow('no Redis');
  });
});

function groupsOf(count: number): AppendGroup[] {
  const group = { account: 'a', lane: 'f', events: 1, entries: ['e'] } as const;
  return Array.from({ length: count }, (_, i) => Object.assign({ destination: `d${i}` }, group));
}
