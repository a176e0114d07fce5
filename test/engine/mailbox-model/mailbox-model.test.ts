import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { startRedis } from '@mailhook/testing';
import type { TestRedis } from '@mailhook/testing';
import fc from 'fast-check';
import { comeToRest } from './come-to-rest.ts';
import { anyCommands } from './commands.ts';
import { changedBackend, FENCES } from './fences.ts';
import { Violation } from './violation.ts';
import { World } from './world.ts';

const RUNS = Number(process.env['MODEL_RUNS'] ?? 60);
const COMMANDS = 80;
/**
 * Missing it takes as many steps as missing all other rules. Only the nightly run, which sets `MODEL_RUNS`, tries it.
 * The ownership model has this rule in every run.
 */
const LONGEST = 'a search begins anew after another lease of its worker';
const TRIED = process.env['MODEL_RUNS'] === undefined ? FENCES.filter(({ what }) => what !== LONGEST) : FENCES;
/** `npm test -- --seed` sets it. */
const SEED = Number(process.env['TEST_SEED'] ?? 1);

describe('the commands against the model of a mailbox', () => {
  let server: TestRedis;
  let redis: Redis;
  beforeAll(async () => {
    server = await startRedis();
    redis = connectRedis({ url: server.url, role: 'fail-fast', name: 'model', onError: () => undefined });
    await whenReady(redis, 5000);
  });
  afterAll(async () => {
    await closeRedis(redis);
    await server.stop();
  });

  let shared: ReturnType<typeof changedBackend>;
  beforeAll(() => (shared = changedBackend(redis)));

  let steps = 0;
  beforeEach(() => (steps = 0));

  const property = fc.asyncProperty(anyCommands(COMMANDS), async (commands) => {
    await play(new World(shared), commands);
  });
  const play = async (world: World, commands: Iterable<fc.AsyncCommand<World, World>>): Promise<void> => {
    try {
      await world.start();
      await fc.asyncModelRun(() => ({ model: world, real: world }), commands);
      await comeToRest(world);
    } finally {
      steps += world.steps.length;
      await world.clear();
    }
  };

  test.each([SEED, SEED + 1])(
    'any steps in any order, seed %i',
    async (seed) => {
      await fc.assert(property, { numRuns: RUNS, seed });
      process.stdout.write(`mailbox model: ${steps} steps in ${RUNS} runs\n`);
    },
    600_000,
  );

  test.each(TRIED)(
    'the model notices commands without the rule that $what',
    async (fence) => {
      const backend = changedBackend(redis, [fence]);
      const unfenced = fc.asyncProperty(anyCommands(COMMANDS), (commands) => play(new World(backend), commands));
      const { errorInstance } = await fc.check(unfenced, { numRuns: 2000, seed: fence.seed, endOnFailure: true });
      expect(backend.changed()).toBe(1);
      process.stdout.write(`mailbox model: after ${steps} steps it missed the rule that ${fence.what}\n`);
      // An error of Lua would not show that the model needs the rule.
      expect(errorInstance).toBeInstanceOf(Violation);
    },
    600_000,
  );
});
