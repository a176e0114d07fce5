import type { CountsByProven } from '../mailbox/commands/engine.ts';
import type { ChunkSlice } from './chunk-worker.ts';
import type { PoolDeps } from './pool.ts';
import { DrainPool } from './pool.ts';
import { createRuntime } from './runtime.ts';

/**
 * A pool whose takes never end, so that the destinations noted to it keep waiting. `rooms`: those of its appends. An
 * append ends with `append`'s promise, immediately by default.
 */
function poolOf(
  append: () => Promise<void> = () => Promise.resolve(),
  mine: readonly string[] = [],
): { readonly pool: DrainPool; readonly rooms: CountsByProven[] } {
  const rooms: CountsByProven[] = [];
  const limits = { batchMax: 1000, windowMax: 4, maxAgeMs: 1000, slots: 100, ownedMax: 1000, inFlightCharsMax: 1e6 };
  const pool = new DrainPool({
    commands: {
      take: () => new Promise(() => undefined),
      append: ({ room }: { room: CountsByProven }) => {
        rooms.push(room);
        return append().then(() => ({ dropped: 0, replies: [], mine }));
      },
    },
    runtime: createRuntime(),
    worker: 'w',
    lease: { isFresh: true },
    limits: { ...limits, sliceMs: 1000 },
    observer: { violation: () => undefined },
  } as unknown as PoolDeps);
  return { pool, rooms };
}

test('an append for many events per request leaves the room to waiting destinations', async () => {
  const { pool, rooms } = poolOf();
  const slice = sliceOf(10, false);
  await pool.append(slice);
  pool.noteWaiting({ proven: 0, others: 500 });
  await pool.append(slice);
  pool.noteWaiting({ proven: 1, others: 0 });
  await pool.append(slice);
  expect(rooms).toEqual([
    { proven: 90, others: 75 },
    { proven: 52, others: 0 },
    { proven: 51, others: 0 },
  ]);
  await pool.stop(0);
});

function sliceOf(destinations: number, isSingle = true): ChunkSlice {
  const group = { account: 'a', lane: 'f', isSingle, events: 1, entries: ['e'] } as const;
  const groups = Array.from({ length: destinations }, (_, i) => Object.assign({ destination: `d${i}` }, group));
  return { jobKey: '', progress: 'c1', number: 1, groups };
}

describe('an append for one event per request, without room for all its destinations beside a running one,', () => {
  let end: () => void;
  const running = new Promise<void>((resolve) => (end = resolve));

  test('waits for that room', async () => {
    const { pool, rooms } = poolOf(() => running);
    const appended = [pool.append(sliceOf(50)), pool.append(sliceOf(50))];
    expect(rooms).toEqual([{ proven: 90, others: 75 }]);
    end();
    await Promise.all(appended);
    expect(rooms).toEqual([
      { proven: 90, others: 75 },
      { proven: 90, others: 75 },
    ]);
    await pool.stop(0);
  });

  test('starts when that one fails', async () => {
    let fail: (error: Error) => void = () => undefined;
    const failing = new Promise<void>((_, reject) => (fail = reject));
    const { pool, rooms } = poolOf(() => failing);
    const appended = [pool.append(sliceOf(50)), pool.append(sliceOf(50))];
    fail(new Error('ERR user_function: a bug'));
    expect((await Promise.allSettled(appended)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(rooms).toHaveLength(2);
    await pool.stop(0);
  });

  test.each([
    ['destinations wait on a ready list', (pool: DrainPool) => pool.noteWaiting({ proven: 1, others: 1 })],
    ['the worker stops', (pool: DrainPool) => pool.startReleasing()],
  ])('does not wait while %s', async (_, change) => {
    const { pool, rooms } = poolOf(() => new Promise(() => undefined));
    void pool.append(sliceOf(50));
    void pool.append(sliceOf(50));
    expect(rooms).toHaveLength(1);
    change(pool);
    void pool.append(sliceOf(50));
    expect(rooms).toHaveLength(3);
    await pool.stop(0);
  });
});

test('an append for destinations with many events per request does not wait for room', async () => {
  const { pool, rooms } = poolOf(() => new Promise(() => undefined));
  void pool.append(sliceOf(50, false));
  void pool.append(sliceOf(50, false));
  expect(rooms).toEqual([
    { proven: 90, others: 75 },
    { proven: 40, others: 25 },
  ]);
  await pool.stop(0);
});

test('an append claims destinations with one event per request also while others wait', async () => {
  const { pool, rooms } = poolOf();
  pool.noteWaiting({ proven: 500, others: 500 });
  await pool.append(sliceOf(10));
  // The take in progress may claim 96 of the 100.
  expect(rooms).toEqual([{ proven: 4, others: 4 }]);
  await pool.stop(0);
});

test('an append leaves the room beyond its destinations with one event per request to those that wait', async () => {
  const { pool, rooms } = poolOf();
  pool.noteWaiting({ proven: 500, others: 500 });
  const mixed = [...sliceOf(3).groups, ...sliceOf(7, false).groups];
  await pool.append({ ...sliceOf(0), groups: mixed });
  expect(rooms).toEqual([{ proven: 3, others: 3 }]);
  await pool.stop(0);
});

test('a claim is lost when Redis says that this worker owns a destination without a drain', async () => {
  const { pool } = poolOf(undefined, ['d0']);
  await pool.append(sliceOf(1));
  expect(pool.lostClaims).toBe(1);
  await pool.stop(0);
});
