import { startMongod, startRedis } from '@mailhook/testing';
import { ensureChromium } from './chromium.ts';
import { ensureRedisServer } from '../stack/redis-server.ts';
import { messageOf } from '../user-error.ts';
import type { Need } from './stages.ts';

/** Databases and a browser that all stages share. */
export interface Resources {
  /** The environment of the tests, with the addresses of the resources. */
  readonly env: NodeJS.ProcessEnv;
  /** Why a need cannot be met, by need. */
  readonly missing: ReadonlyMap<Need, string>;
  stop(): Promise<void>;
}

interface Started {
  /** The URL of a database, or the path of a browser. */
  readonly url: string;
  stop(): Promise<void>;
}

const VARIABLES: Readonly<Record<Need, string>> = {
  redis: 'REDIS_TEST_URL',
  mongo: 'MONGO_TEST_URL',
  chromium: 'CHROMIUM_TEST_PATH',
};

const STARTERS: Readonly<Record<Need, () => Promise<Started>>> = {
  redis: async () => {
    await afterOtherInstalls(() => ensureRedisServer(tellInstall, new AbortController().signal));
    return startRedis();
  },
  mongo: startMongod,
  chromium: async () => ({
    url: await afterOtherInstalls(() => ensureChromium(tellInstall)),
    stop: () => Promise.resolve(),
  }),
};

const tellInstall = (command: string): void => console.log(`  installing: ${command}`);

let lastInstall: Promise<unknown> = Promise.resolve();
/** Runs after earlier installations, because apt-get refuses to run twice at once. */
function afterOtherInstalls<Found>(find: () => Promise<Found>): Promise<Found> {
  const found = lastInstall.then(find, find);
  lastInstall = found;
  return found;
}

/** Starts what the stages need, unless the environment already names it. */
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
