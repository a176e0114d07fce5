import { rm } from 'node:fs/promises';
import {
  makeMemoryFolder,
  MISSING_TOOLS_VARIABLE,
  SERVER_FOLDER_VARIABLE,
  startMongod,
  startRedis,
} from '@mailhook/testing';
import { BROWSER_VARIABLE, launchOptions } from './chromium.ts';
import { provideTools } from './tools.ts';
import type { Stage } from './stages.ts';

/** The tools, the databases and the browser that all stages share. */
export interface Resources {
  /** The environment of the tests, with the addresses of the servers. */
  readonly env: NodeJS.ProcessEnv;
  /** The stages that can run here. */
  readonly stages: readonly Stage[];
  /** The others, each with the reason. */
  readonly skipped: readonly string[];
  stop(): Promise<void>;
}

interface Server {
  readonly tool: 'redis-server' | 'mongod' | 'chromium';
  readonly variable: string;
  readonly start: () => Promise<{ readonly url: string; stop(): Promise<void> }>;
}
const DATABASES: readonly Server[] = [
  { tool: 'redis-server', variable: 'REDIS_TEST_URL', start: startRedis },
  { tool: 'mongod', variable: 'MONGO_TEST_URL', start: startMongod },
];
const BROWSER: Server = { tool: 'chromium', variable: BROWSER_VARIABLE, start: startBrowser };

async function startBrowser(): ReturnType<Server['start']> {
  const { chromium } = await import('playwright-core');
  const server = await chromium.launchServer({ ...launchOptions(), host: '127.0.0.1' });
  return { url: server.wsEndpoint(), stop: () => server.close() };
}

/**
 * Brings the tools of the stages, and starts the databases that the environment does not name. If all files run, it
 * starts a browser for them too.
 */
export async function provideResources(
  wanted: readonly Stage[],
  env: NodeJS.ProcessEnv,
  { isCi, say, isWhole }: { readonly isCi: boolean; readonly say: (line: string) => void; readonly isWhole: boolean },
): Promise<Resources> {
  const given = DATABASES.filter(({ variable }) => (env[variable] ?? '') !== '').map(({ tool }) => tool);
  const tools = new Set(wanted.flatMap(({ requires, uses }) => [...requires, ...uses]));
  for (const tool of given) tools.delete(tool);
  const missing = await provideTools(tools, isCi, say);
  const isMissing = (tool: (typeof wanted)[number]['uses'][number]): boolean => missing.has(tool);
  const servers = isWhole ? [...DATABASES, BROWSER] : DATABASES;
  const needed = servers.filter(({ tool }) => tools.has(tool) && !missing.has(tool));
  const memory = await makeMemoryFolder();
  // The shared databases are started by this process, which needs the variable too.
  if (memory !== undefined) process.env[SERVER_FOLDER_VARIABLE] = memory;
  const started = await Promise.all(needed.map(async (server) => ({ ...server, ...(await server.start()) })));
  return {
    env: {
      ...env,
      ...(memory === undefined ? {} : { [SERVER_FOLDER_VARIABLE]: memory }),
      ...Object.fromEntries(started.map(({ variable, url }) => [variable, url])),
      [MISSING_TOOLS_VARIABLE]: [...missing.keys()].join(','),
    },
    stages: wanted.filter(({ requires }) => !requires.some(isMissing)),
    skipped: wanted.flatMap(({ name, requires }) =>
      requires.filter(isMissing).map((tool) => `the stage ${name} (${missing.get(tool) ?? ''})`),
    ),
    stop: async () => {
      await Promise.all(started.map(async (one) => one.stop()));
      if (memory !== undefined) await rm(memory, { recursive: true, force: true });
    },
  };
}
