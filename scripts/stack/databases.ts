import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { assertRedisVersion, closeRedis, connectRedis, UnusableRedisError, whenReady } from '@mailhook/platform/redis';
import { findMongod } from '@mailhook/testing';
import { shownPath } from '../terminal.ts';
import type { Terminal } from '../terminal.ts';
import { messageOf, UserError } from '../user-error.ts';
import type { Fleet } from './fleet.ts';
import { freePortFrom } from './ports.ts';
import { ensureRedisServer, redisProgram, redisVersion } from './redis-server.ts';
import type { StackSettings } from './settings.ts';

export interface DatabaseDeps {
  readonly settings: StackSettings;
  readonly fleet: Fleet;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

const FIRST_REDIS_PORT = 16_379;
const FIRST_MONGO_PORT = 17_017;
const ANSWER_WITHIN_MS = 120_000;

export interface Database {
  readonly url: string;
  /** The text for the person at the terminal. */
  readonly shown: string;
}

/** The programs of the private databases. Undefined for one that is not needed. */
export interface DatabasePrograms {
  readonly redis: string | undefined;
  readonly mongod: string | undefined;
}

/** Finds the programs, and installs what is missing. @throws UserError with the command to run, if it may not. */
export async function findPrograms(
  { settings, terminal, signal }: DatabaseDeps,
  { wantsMongo, mayInstall }: { readonly wantsMongo: boolean; readonly mayInstall: boolean },
): Promise<DatabasePrograms> {
  const report = (name: string) => (command: string) => terminal.line(`  ${name.padEnd(14)}installing it: ${command}`);
  const onDownload = (command: string): void => {
    if (!mayInstall)
      throw new UserError(`--mongo needs mongod: put one on the PATH, or set MONGO_URL to a running one.`);
    report('MongoDB')(command);
  };
  const redis =
    settings.redisUrl === undefined ? await ensureRedisServer(report('Redis'), signal, mayInstall) : undefined;
  if (!wantsMongo || settings.mongoUrl !== undefined) return { redis, mongod: undefined };
  const mongod = await findMongod(onDownload).catch((error: unknown) => {
    throw error instanceof UserError ? error : new UserError(`--mongo needs mongod: ${messageOf(error)}`);
  });
  return { redis, mongod };
}

/** Provides the Redis of `REDIS_URL`, or else starts a private one. Resolves when it answers. */
export async function provideRedis(
  { settings, fleet }: DatabaseDeps,
  { redis: command = '' }: DatabasePrograms,
): Promise<Database> {
  if (settings.redisUrl !== undefined) {
    const shown = withoutPassword(settings.redisUrl);
    await whenRedisAnswers(settings.redisUrl, 5000).catch((error: unknown) => {
      if (error instanceof UserError) throw error;
      throw new UserError(
        `REDIS_URL names ${shown}, but it does not answer (${messageOf(error)}). Start it, or leave REDIS_URL ` +
          'unset for a private one.',
      );
    });
    return { url: settings.redisUrl, shown: `${shown} (REDIS_URL)` };
  }
  const version = await redisVersion(command);
  const port = await freePortFrom(FIRST_REDIS_PORT);
  const url = `redis://127.0.0.1:${port}`;
  fleet.start(redisProgram({ command, dataDir: settings.dataDir, port }), 'database');
  await Promise.race([fleet.whenHopeless, whenRedisAnswers(url, ANSWER_WITHIN_MS)]);
  const name = version === undefined ? 'redis-server' : `redis-server ${version}`;
  return { url, shown: `${name} on 127.0.0.1:${port}, append-only files in ${shownPath(settings.dataDir)}/redis` };
}

/** Provides the MongoDB of `MONGO_URL`, or else starts a private one under `DATA_DIR`. */
export async function provideMongo(
  { settings, fleet }: DatabaseDeps,
  { mongod: command = '' }: DatabasePrograms,
): Promise<Database> {
  if (settings.mongoUrl !== undefined)
    return { url: settings.mongoUrl, shown: `${withoutPassword(settings.mongoUrl)} (MONGO_URL)` };
  const port = await freePortFrom(FIRST_MONGO_PORT);
  const folder = path.join(settings.dataDir, 'mongo');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const args = [
    '--bind_ip',
    '127.0.0.1',
    '--port',
    String(port),
    '--dbpath',
    folder,
    '--wiredTigerCacheSizeGB',
    '0.25',
  ];
  fleet.start({ name: 'mongo', command, args, env: process.env, hasChannel: false }, 'database');
  // The api waits for MongoDB and is not ready before.
  return {
    url: `mongodb://127.0.0.1:${port}/mailhook`,
    shown: `mongod on 127.0.0.1:${port}, files in ${shownPath(settings.dataDir)}/mongo`,
  };
}

async function whenRedisAnswers(url: string, withinMs: number): Promise<void> {
  let fault: Error | undefined;
  const redis = connectRedis({ url, role: 'worker', name: 'npm-start', onError: (error) => (fault = error) });
  try {
    // The client keeps trying after a wrong password or database. Its last error says more than the timeout.
    await whenReady(redis, withinMs).catch((error: unknown) => {
      throw error instanceof UnusableRedisError ? error : (fault ?? error);
    });
    await assertRedisVersion(redis);
  } catch (error) {
    throw error instanceof UnusableRedisError ? new UserError(error.message) : error;
  } finally {
    await closeRedis(redis);
  }
}

/** Hides the password of a URL, so that a terminal may show it. */
function withoutPassword(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//***@').replace(/(password=)[^&]*/gi, '$1***');
}
