import type { Terminal } from '../terminal.ts';
import { seconds } from '../terminal.ts';
import { bundle, mainOf } from './bundles.ts';
import { findPrograms, provideMongo, provideRedis } from './databases.ts';
import { createFleet } from './fleet.ts';
import type { Fleet } from './fleet.ts';
import { claimDataDir, endLeftovers } from './only-one.ts';
import { assertPortsFree } from './ports.ts';
import { serviceProgram, whenReady } from './services.ts';
import { SERVICES } from './settings.ts';
import type { StackSettings } from './settings.ts';
import { removeStackFile, writeStackFile } from './stack-file.ts';

/** A stack on this machine, from the claim of its folder to its clean end. */
export interface Stack {
  /** Resolves when all three services are ready. @throws UserError */
  start(): Promise<void>;
  /** Writes `stack.json` and keeps it current. */
  announce(demo: { readonly account: string; readonly token: string } | undefined): void;
  /** Stops everything that was started, in order, within 15 s. */
  stop(): Promise<void>;
  /** Ends everything at once. */
  kill(): void;
}

export interface StartOptions {
  readonly hasDemo: boolean;
  readonly wantsMongo: boolean;
  readonly mayInstall: boolean;
}

export interface StackDeps {
  readonly settings: StackSettings;
  readonly options: StartOptions;
  readonly terminal: Terminal;
  readonly env: NodeJS.ProcessEnv;
  /** Aborted to give up the start. */
  readonly signal: AbortSignal;
}

const isService = (name: string): boolean => SERVICES.some((service) => service === name);

const READY_WITHIN_MS = 120_000;

export function createStack(deps: StackDeps): Stack {
  const { settings, terminal } = deps;
  let redisUrl = '';
  let announced: { account: string; token: string } | Record<string, never> | undefined;
  const claim = claimDataDir(settings.dataDir);

  const onPids = (): void => {
    claim.watch(fleet.pids());
    writeFile();
  };
  const writeFile = (): void => {
    if (announced === undefined) return;
    const { baseUrl, opsUrl, producerToken, adminToken } = settings;
    // The file names only the services and Redis.
    const pids = Object.fromEntries(Object.entries(fleet.pids()).filter(([name]) => name !== 'mongo'));
    writeStackFile(settings.dataDir, { baseUrl, opsUrl, redisUrl, ...announced, producerToken, adminToken, pids });
  };
  const fleet = createFleet({ logDir: settings.logDir, terminal, onPids });
  const end = (): void => {
    announced = undefined;
    removeStackFile(settings.dataDir);
  };
  return {
    start: async () => {
      await endLeftovers(claim.leftovers, isService, () => assertPortsFree(settings));
      redisUrl = await startPrograms(deps, fleet);
      fleet.markReady();
    },
    announce: (demo) => {
      announced = demo === undefined ? {} : { account: demo.account, token: demo.token };
      writeFile();
    },
    stop: async () => {
      end();
      await fleet.stop();
      claim.release();
    },
    kill: () => {
      end();
      fleet.kill();
      claim.release();
    },
  };
}

/** Starts all programs. Resolves with the URL of Redis when all are ready. */
async function startPrograms({ settings, options, terminal, env, signal }: StackDeps, fleet: Fleet): Promise<string> {
  const step = (name: string, text: string) => terminal.line(`  ${name.padEnd(14)}${text}`);
  const databaseDeps = { settings, fleet, terminal, signal };
  const programs = await findPrograms(databaseDeps, options);
  terminal.progress('  Building ...');
  const buildStartedAt = performance.now();
  const bundles = await bundle(SERVICES.map(mainOf));
  step('Build', seconds(performance.now() - buildStartedAt));
  terminal.progress('  Starting Redis ...');
  const redis = await provideRedis(databaseDeps, programs);
  step('Redis', redis.shown);
  terminal.progress('  Starting MongoDB ...');
  const mongo = options.wantsMongo ? await provideMongo(databaseDeps, programs) : undefined;
  if (mongo !== undefined) step('MongoDB', mongo.shown);
  signal.throwIfAborted();
  terminal.progress(`  Starting ${SERVICES.join(', ')} ...`);
  const startedAt = performance.now();
  for (const [i, name] of SERVICES.entries()) {
    const databases = { redisUrl: redis.url, mongoUrl: mongo?.url };
    const program = serviceProgram(name, bundles[i] ?? '', settings, databases, env);
    fleet.start(program, name === 'api' ? 'intake' : 'worker');
  }
  await Promise.race([fleet.whenHopeless, whenReady({ settings, fleet, signal }, READY_WITHIN_MS)]);
  step('Services', `${SERVICES.join(', ')} (${seconds(performance.now() - startedAt)})`);
  return redis.url;
}
