import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { startRedis } from '@mailhook/testing';
import type { TestRedis } from '@mailhook/testing';
import fc from 'fast-check';
import { anyCommands, comeToRest } from './commands.ts';
import { World } from './world.ts';

const RUNS = Number(process.env['MODEL_RUNS'] ?? 60);
const COMMANDS = 80;

describe('the scripts against the model of a mailbox', () => {
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

  const property = fc.asyncProperty(anyCommands(COMMANDS), async (commands) => {
    const world = new World(redis);
    try {
      await world.start();
      await fc.asyncModelRun(() => ({ model: world, real: world }), commands);
      await comeToRest(world);
    } finally {
      await world.clear();
    }
  });

  test.each([1, Number(process.env['MODEL_SEED'] ?? Date.now() % 1_000_000_000)])(
    'any steps, in any order, seed %i',
    async (seed) => {
      process.stdout.write(`mailbox model: MODEL_SEED=${seed}\n`);
      await fc.assert(property, { numRuns: RUNS, seed });
    },
    600_000,
  );
});
