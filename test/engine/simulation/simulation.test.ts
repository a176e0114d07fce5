import type { Mechanism } from '@mailhook/core';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { startRedis } from '@mailhook/testing';
import type { TestRedis } from '@mailhook/testing';
import { FENCES } from '../mailbox-model/fences.ts';
import { MARKS } from './marks.ts';
import { SimulatedRedis } from './simulated-redis.ts';
import { Simulation } from './simulation.ts';

const KINDS: readonly Mechanism[] = ['campaign', 'transactional'];
/** Runs of each mechanism. */
const RUNS = Number(process.env['SIMULATION_RUNS'] ?? 200);
/** `npm test -- --seed` sets it. Days have different runs. */
const FIRST = Number(process.env['TEST_SEED'] ?? 1) * 100_000;
/** Plays one run and prints what happens. */
const ONLY = process.env['SIMULATION_SEED'];
/** Runs that reach every mark. */
const MANY = 2000;
/** Runs without one rule of the commands. If none misses a rule that is needed here, more follow until one does. */
const UNFENCED_RUNS = 200;
const UNFENCED_RUNS_MAX = 5000;
const AN_HOUR_MS = 3_600_000;
/** A fault in the functions (`npx mailhook mutants`) may keep Redis busy without end. */
const FEW_RUNS_MS = 300_000;

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

  test.each(KINDS)(
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
    seeds.length >= MANY ? AN_HOUR_MS : FEW_RUNS_MS,
  );

  // Only at night, because each takes some seconds.
  for (const fence of seeds.length >= MANY ? FENCES : [])
    test.each(KINDS)(
      `the share of %s runs that miss the rule that ${fence.what}`,
      async (kind) => {
        const simulated = await SimulatedRedis.open(redis, kind, [fence]);
        const isNeeded = fence.isSimulated === true && kind === 'campaign';
        let [kills, runs] = [0, 0];
        for (; runs < UNFENCED_RUNS || (isNeeded && kills === 0 && runs < UNFENCED_RUNS_MAX); runs += 1)
          await new Simulation(simulated, kind, FIRST + runs).play().catch(() => (kills += 1));
        log(`simulation: ${kind}, ${((100 * kills) / runs).toFixed(1)} % of ${runs} runs need that ${fence.what}`);
        if (isNeeded) expect(kills).toBeGreaterThan(0);
      },
      AN_HOUR_MS,
    );
});
