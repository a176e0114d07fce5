import type { CountsByProven } from '../mailbox/commands.ts';
import type { PoolDeps } from './pool.ts';
import { DrainPool } from './pool.ts';

/** A pool whose takes never end, so that the destinations offered to it keep waiting. `rooms`: those of its appends. */
function poolOf(batchMax: number): { readonly pool: DrainPool; readonly rooms: CountsByProven[] } {
  const rooms: CountsByProven[] = [];
  const limits = { batchMax, windowMax: 4, maxAgeMs: 1000, slots: 100, ownedMax: 1000, inFlightCharsMax: 1e6 };
  const pool = new DrainPool({
    commands: {
      take: () => new Promise(() => undefined),
      append: ({ room }: { room: CountsByProven }) => {
        rooms.push(room);
        return Promise.resolve({ dropped: 0, replies: [], mine: [] });
      },
    },
    worker: 'w',
    lease: { isFresh: true },
    limits: { ...limits, sliceMs: 1000 },
  } as unknown as PoolDeps);
  return { pool, rooms };
}
const slice = { jobKey: '', mark: 'c1', number: 1, groups: [] };

test('an append for campaigns leaves the room to destinations that wait, so that its events gather', async () => {
  const { pool, rooms } = poolOf(1000);
  await pool.append(slice);
  pool.offer({ proven: 0, others: 500 });
  await pool.append(slice);
  pool.offer({ proven: 1, others: 0 });
  await pool.append(slice);
  expect(rooms).toEqual([
    { proven: 90, others: 75 },
    { proven: 90, others: 0 },
    { proven: 89, others: 0 },
  ]);
  await pool.stop(0);
});

test('an append claims destinations for notifications also while others wait', async () => {
  const { pool, rooms } = poolOf(1);
  pool.offer({ proven: 500, others: 500 });
  await pool.append(slice);
  expect(rooms).toEqual([{ proven: 90, others: 75 }]);
  await pool.stop(0);
});
