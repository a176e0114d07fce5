import { DrainPool } from './drain-pool.ts';
import type { DrainPoolDeps } from './drain-pool-deps.ts';

/** A pool whose takes never end, so that the destinations offered to it keep waiting. */
const poolOf = (batchMax: number): DrainPool =>
  new DrainPool({
    commands: { take: () => new Promise(() => undefined) },
    worker: 'w',
    lease: { isFresh: true },
    limits: {
      batchMax,
      windowMax: 4,
      maxAgeMs: 1000,
      slots: 100,
      ownedMax: 1000,
      inFlightCharsMax: 1e6,
      sliceMs: 1000,
    },
  } as unknown as DrainPoolDeps);

test('an append for campaigns leaves the room to destinations that wait, so that its events gather', async () => {
  const pool = poolOf(1000);
  expect(pool.appendRoom).toEqual({ proven: 90, others: 75 });
  pool.offer({ proven: 0, others: 500 });
  expect(pool.appendRoom).toEqual({ proven: 90, others: 0 });
  pool.offer({ proven: 1, others: 0 });
  expect(pool.appendRoom).toEqual({ proven: 89, others: 0 });
  await pool.stop(0);
});

test('an append claims destinations for notifications also while others wait', async () => {
  const pool = poolOf(1);
  pool.offer({ proven: 500, others: 500 });
  expect(pool.appendRoom).toEqual({ proven: 90, others: 75 });
  await pool.stop(0);
});
