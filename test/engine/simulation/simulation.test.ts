import type { Mechanism } from '@mailhook/core';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { startRedis } from '@mailhook/testing';
import type { TestRedis } from '@mailhook/testing';
import { MARKS } from './marks.ts';
import { OLD_FAULTS } from './old-faults.ts';
import { SimulatedRedis } from './simulated-redis.ts';
import { Simulation } from './simulation.ts';
import { Violation } from './violation.ts';

/** Runs of each mechanism. */
const RUNS = Number(process.env['SIMULATION_RUNS'] ?? 100);
/** `npm test -- --seed` sets it. Days have different runs. */
const FIRST = Number(process.env['TEST_SEED'] ?? 1) * 100_000;
/** Plays one run and prints what happens. */
const ONLY = process.env['SIMULATION_SEED'];
/** Runs that reach every mark, and in which every old fault is met. */
const MANY = 2000;
const FOUND_WITHIN = 1000;
const AN_HOUR_MS = 3_600_000;

describe('the engine in a simulation', () => {
  let server: TestRedis;
  let redis: Redis;
  beforeAll(async () => {
    server = await startRedis();
    redis = connectRedis({ url: server.url, role: 'worker', name: 'simulation', onError: () => undefined });
    await whenReady(redis, 5000);
  });
  afterAll(async () => {
    await closeRedis(redis);
    await server.stop();
  });

  const log = (line: string): void => void process.stdout.write(`${line}\n`);
  const seeds = ONLY === undefined ? Array.from({ length: RUNS }, (_, i) => FIRST + i) : [Number(ONLY)];

  test.each<Mechanism>(['campaign', 'transactional'])(
    'loses nothing and never stands still: %s',
    async (kind) => {
      const simulated = await SimulatedRedis.open(redis, kind);
      const reached = new Map(MARKS.map((mark) => [mark, 0]));
      let steps = 0;
      for (const seed of seeds) {
        const run = new Simulation(simulated, kind, seed, ONLY === undefined ? undefined : log);
        const report = await run.play().catch((error: unknown) => {
          const repeat = `SIMULATION_SEED=${seed} npm test -- engine/simulation --verbose`;
          throw new Error(`${kind}, seed ${seed}: ${String(error)}\nRepeat it: ${repeat}`, { cause: error });
        });
        steps += report.steps;
        for (const mark of report.reached) reached.set(mark, (reached.get(mark) ?? 0) + 1);
      }
      const unreached = MARKS.filter((mark) => reached.get(mark) === 0);
      log(`simulation: ${kind}, ${seeds.length} runs, ${steps} steps, ${MARKS.length - unreached.length} marks`);
      for (const [mark, runs] of reached) log(`simulation: ${((100 * runs) / seeds.length).toFixed(1)} %: ${mark}`);
      if (seeds.length >= MANY) expect(unreached).toEqual([]);
    },
    AN_HOUR_MS,
  );

  // Only at night, because each takes up to a thousand runs.
  for (const fault of seeds.length >= MANY ? OLD_FAULTS : [])
    test(
      `finds that ${fault.what}`,
      async () => {
        const simulated = await SimulatedRedis.open(redis, 'campaign', [fault]);
        let found: unknown;
        let runs = 0;
        for (; found === undefined && runs < FOUND_WITHIN; runs += 1)
          await new Simulation(simulated, 'campaign', FIRST + runs).play().catch((error: unknown) => (found = error));
        log(`simulation: after ${runs} runs it found that ${fault.what}: ${String(found)}`);
        expect(found).toBeInstanceOf(Violation);
      },
      AN_HOUR_MS,
    );
});
