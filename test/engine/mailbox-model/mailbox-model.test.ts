import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { startRedis } from '@mailhook/testing';
import type { TestRedis } from '@mailhook/testing';
import fc from 'fast-check';
import { anyCommands } from './commands.ts';
import { changedBackend } from './fences.ts';
import { COMMANDS, play } from './play.ts';
import { World } from './world.ts';

const RUNS = Number(process.env['MODEL_RUNS'] ?? 60);
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

  test.each([SEED, SEED + 1])(
    'any steps in any order, seed %i',
    async (seed) => {
      const backend = changedBackend(redis);
      let steps = 0;
      const property = fc.asyncProperty(anyCommands(COMMANDS), async (commands) => {
        const world = new World(backend);
        await play(world, commands).finally(() => (steps += world.steps.length));
      });
      await fc.assert(property, { numRuns: RUNS, seed });
      process.stdout.write(`mailbox model: ${steps} steps in ${RUNS} runs\n`);
    },
    600_000,
  );
});
