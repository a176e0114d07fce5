import { startMongod, startRedis } from '@mailhook/testing';
import { ensureRedisServer } from '../stack/redis-server.ts';
import { messageOf } from '../user-error.ts';
import type { Need } from './stages.ts';

/** Something that tests share, brought up once for all stages. */
export interface Resources {
  /** Names of the environment that tests read. */
  readonly env: NodeJS.ProcessEnv;
  /** Why a need cannot be met, by need. */
  readonly missing: ReadonlyMap<Need, string>;
  stop(): Promise<void>;
}

interface Started {
  readonly url: string;
  stop(): Promise<void>;
}

const VARIABLES: Readonly<Record<Need, string>> = { redis: 'REDIS_TEST_URL', mongo: 'MONGO_TEST_URL' };

const STARTERS: Readonly<Record<Need, () => Promise<Started>>> = {
  redis: async () => {
    await ensureRedisServer((command) => console.log(`  installing Redis: ${command}`), new AbortController().signal);
    return startRedis();
  },
  mongo: startMongod,
};

/** Brings up what the stages need, unless the environment names it already. */
export async function provideResources(needs: ReadonlySet<Need>, env: NodeJS.ProcessEnv): Promise<Resources> {
  const missing = new Map<Need, string>();
  const found: NodeJS.ProcessEnv = {};
  const started: Started[] = [];
  await Promise.all(
    [...needs].map(async (need) => {
      const variable = VARIABLES[need];
      if ((env[variable] ?? '') !== '') return;
      try {
        const one = await STARTERS[need]();
        started.push(one);
        found[variable] = one.url;
      } catch (error) {
        missing.set(need, messageOf(error));
      }
    }),
  );
  return {
    env: { ...env, ...found },
    missing,
    stop: async () => {
      await Promise.all(started.map(async (one) => one.stop()));
    },
  };
}
