import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { startRedis } from '@mailhook/testing';
import type { TestRedis } from '@mailhook/testing';
import fc from 'fast-check';
import { anyCommands } from './commands.ts';
import { changedBackend, FENCES } from './fences.ts';
import { COMMANDS, play } from './play.ts';
import { Violation } from './violation.ts';
import { World } from './world.ts';

/**
 * Missing it takes as many steps as missing all other rules. Only the nightly run, which sets `MODEL_RUNS`, tries it.
 * The ownership model has this rule in every run.
 */
const LONGEST = 'a search begins anew after another lease of its worker';
const TRIED = process.env['MODEL_RUNS'] === undefined ? FENCES.filter(({ what }) => what !== LONGEST) : FENCES;

describe('the model of a mailbox', () => {
  let server: TestRedis;
  let redis: Redis;
  beforeAll(async () => {
    server = await startRedis();
    redis = connectRedis({ url: server.url, role: 'fail-fast', name: 'rules', onError: () => undefined });
    await whenReady(redis, 5000);
  });
  afterAll(async () => {
    await closeRedis(redis);
    await server.stop();
  });

  test.each(TRIED)(
    'notices commands without the rule that $what',
    async (fence) => {
      const backend = changedBackend(redis, [fence]);
      let steps = 0;
      const unfenced = fc.asyncProperty(anyCommands(COMMANDS), async (commands) => {
        const world = new World(backend);
        await play(world, commands).finally(() => (steps += world.steps.length));
      });
      const { errorInstance } = await fc.check(unfenced, { numRuns: 2000, seed: fence.seed, endOnFailure: true });
      expect(backend.changed()).toBe(1);
      process.stdout.write(`mailbox model: after ${steps} steps it missed the rule that ${fence.what}\n`);
      // An error of Lua would not show that the model needs the rule.
      expect(errorInstance).toBeInstanceOf(Violation);
    },
    600_000,
  );
});
