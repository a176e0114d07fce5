import type { Mechanism } from '@mailhook/core';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { startRedis } from '@mailhook/testing';
import type { TestRedis } from '@mailhook/testing';
import { SimulatedRedis } from './simulated-redis.ts';
import { Simulation } from './simulation.ts';
import { READ_BY_EARLIER, READ_BY_LATER, toyFormat } from './toy-format.ts';

/** Of each mechanism. The nightly run has 500. */
const RUNS = Number(process.env['SIMULATION_RUNS'] ?? 300) / 10;
const FIRST = Number(process.env['TEST_SEED'] ?? 1) * 100_000;
const AN_HOUR_MS = 3_600_000;

/** A change of a stored format as CONTRIBUTING.md describes it, with a toy format. */
describe('while two versions with different formats run', () => {
  let server: TestRedis;
  let redis: Redis;
  beforeAll(async () => {
    server = await startRedis();
    redis = connectRedis({ url: server.url, role: 'worker', name: 'format', onError: () => undefined });
    await whenReady(redis, 5000);
  });
  afterAll(async () => {
    await closeRedis(redis);
    await server.stop();
  });

  const [earlier, later] = [toyFormat('earlier'), toyFormat('later')];

  test.each<Mechanism>(['campaign', 'transactional'])(
    'and workers of both replace each other under load, nothing is lost: %s',
    async (kind) => {
      const first = await SimulatedRedis.open(redis, kind, [], earlier);
      const versions = [first, await first.beside(later)];
      const reached = new Set<string>();
      for (let seed = FIRST; seed < FIRST + RUNS; seed += 1) {
        const report = await new Simulation(first, kind, seed, undefined, versions).play().catch((error: unknown) => {
          throw new Error(`${kind}, seed ${seed}: ${String(error)}`, { cause: error });
        });
        for (const mark of report.reached) reached.add(mark);
      }
      expect([READ_BY_EARLIER, READ_BY_LATER].filter((mark) => !reached.has(mark))).toEqual([]);
    },
    AN_HOUR_MS,
  );

  test(
    'a version that reads only its own format fails beside the later one, so it must not start',
    async () => {
      const first = await SimulatedRedis.open(redis, 'campaign', [], { ...earlier, changes: [] });
      const versions = [first, await first.beside(later)];
      const found: unknown[] = [];
      for (let seed = FIRST; found.length === 0 && seed < FIRST + 20; seed += 1)
        await new Simulation(first, 'campaign', seed, undefined, versions)
          .play()
          .catch((error: unknown) => found.push(error));
      expect(found).toHaveLength(1);
    },
    AN_HOUR_MS,
  );
});
