import type { Mechanism } from '@mailhook/core';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { startRedis } from '@mailhook/testing';
import type { TestRedis } from '@mailhook/testing';
import fc from 'fast-check';
import { comeToRest } from '../mailbox-model/come-to-rest.ts';
import { anyCommands } from '../mailbox-model/commands.ts';
import { changedBackend } from '../mailbox-model/fences.ts';
import { World } from '../mailbox-model/world.ts';
import { SimulatedRedis } from '../simulation/simulated-redis.ts';
import { Simulation } from '../simulation/simulation.ts';
import { allMutants, library, someMutants } from './mutants.ts';
import type { Mutant } from './mutants.ts';

/** The nightly run tries 40. */
const MUTANTS = Number(process.env['MUTANTS'] ?? 0);
/** `npm test -- --seed` sets it. */
const SEED = Number(process.env['TEST_SEED'] ?? 1);
const MODEL_RUNS = 120;
const SIMULATION_RUNS = 60;
const AN_HOUR_MS = 3_600_000;

test('each mutant differs from the library in one place', () => {
  const text = library();
  const mutants = allMutants(text);
  expect(mutants.length).toBeGreaterThan(500);
  for (const { from, to } of mutants) {
    expect(text.split(from)).toHaveLength(2);
    expect(to).not.toBe(from);
  }
});

const playMutants = (): void => {
  let server: TestRedis;
  let redis: Redis;
  beforeAll(async () => {
    server = await startRedis();
    redis = connectRedis({ url: server.url, role: 'worker', name: 'mutants', onError: () => undefined });
    await whenReady(redis, 5000);
  });
  afterAll(async () => {
    await closeRedis(redis);
    await server.stop();
  });

  async function killedByModel(mutant: Mutant): Promise<boolean> {
    const backend = changedBackend(redis, [mutant]);
    const property = fc.asyncProperty(anyCommands(80), async (commands) => {
      const world = new World(backend);
      try {
        await world.start();
        await fc.asyncModelRun(() => ({ model: world, real: world }), commands);
        await comeToRest(world);
      } finally {
        await world.clear();
      }
    });
    return (await fc.check(property, { numRuns: MODEL_RUNS, seed: SEED, endOnFailure: true })).failed;
  }

  async function killedBySimulation(mutant: Mutant): Promise<boolean> {
    for (const kind of ['campaign', 'transactional'] satisfies Mechanism[]) {
      const simulated = await SimulatedRedis.open(redis, kind, [mutant]);
      for (let seed = SEED; seed < SEED + SIMULATION_RUNS; seed += 1) {
        const isKilled = await new Simulation(simulated, kind, seed).play().then(
          () => false,
          () => true,
        );
        if (isKilled) return true;
      }
    }
    return false;
  }

  test(
    'is noticed by the model or the simulation, or printed',
    async () => {
      const survivors: string[] = [];
      for (const mutant of someMutants(MUTANTS, SEED)) {
        const isKilled = (await killedBySimulation(mutant)) || (await killedByModel(mutant));
        if (!isKilled) survivors.push(mutant.what);
      }
      for (const survivor of survivors) process.stdout.write(`mutant of the commands survives: ${survivor}\n`);
      process.stdout.write(`mutants of the commands: ${survivors.length} of ${MUTANTS} survive\n`);
      // Some are equal to the original, and some concern erasure or people, which have tests of their own.
      expect(survivors.length).toBeLessThan(MUTANTS / 2);
    },
    AN_HOUR_MS,
  );
};

if (MUTANTS > 0) describe('each mutant of the commands', playMutants);
