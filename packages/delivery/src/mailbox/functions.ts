import { hash } from 'node:crypto';
import path from 'node:path';
import type { Logger } from '@mailhook/platform/logger';
import type { Metrics } from '@mailhook/platform/metrics';
import { onEveryMaster } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { withoutBraces } from './keys.ts';
import type { EngineKeys } from './keys.ts';
import { libraryText, readLua } from './lua-library.ts';

/**
 * The commands of the mailbox. Each is a file in `lua/`, in the folder of those who call it, and a function of the
 * library in Redis.
 */
export const COMMANDS = [
  'engine/abandon',
  'engine/append',
  'engine/claim-ids',
  'engine/end-chunk',
  'engine/give-up-step',
  'engine/heartbeat',
  'engine/next',
  'engine/now',
  'engine/owned',
  'engine/restore-ready',
  'engine/take',
  'engine/wake',
  'log/log-trim',
  'manage/discard',
  'manage/erase-dead',
  'manage/erase-resend',
  'manage/erase-waiting',
  'manage/give-up',
  'manage/pause',
  'manage/probe',
  'manage/recount-events',
  'manage/recover-entries',
  'manage/redrive',
  'manage/redrive-run',
  'manage/remove-destination',
  'manage/replace-block',
  'manage/resume',
  'manage/save-destination',
  'manage/send-now',
  'publish/number-heartbeat',
  'publish/queued',
  'publish/recount-queued',
  'record/add-counts',
  'record/add-rows',
  'record/pack-rows',
] as const;

type NameIn<File extends string> = File extends `${string}/${infer Name}` ? Name : never;

export type CommandName = NameIn<(typeof COMMANDS)[number]>;

type Argument = string | number | Buffer;

/** Runs a command on a mechanism and shard. Rejects with what ioredis rejects with. */
export type RunCommand = (
  command: CommandName,
  keys: Pick<EngineKeys, 'prefix' | 'base' | 'shared'>,
  ...args: Argument[]
) => Promise<unknown>;

/** Gets the name of a command and the seconds from its call to its reply. */
export type ObserveCommand = (command: CommandName, seconds: number) => void;

/** The name of a library begins with this and the digest of its `QUEUE_PREFIX`. */
const LIBRARY = 'mailhook_';
const DIGEST_LENGTH = 12;

/** A library that no process has used for this long is removed. */
const UNUSED_MS = 86_400_000;

/** The library of one installation and version. */
interface Library {
  readonly name: string;
  readonly text: string;
  readonly nameOf: (command: CommandName) => string;
}

const digest = (text: string): string => hash('sha256', text).slice(0, DIGEST_LENGTH);

const libraries = new Map<string, Library>();

/**
 * Its name has a digest of the installation's prefix and one of its text. Installations that share a Redis, and
 * versions during a rolling update, thus never run each other's commands.
 */
function libraryOf(installation: string): Library {
  const known = libraries.get(installation);
  if (known !== undefined) return known;
  const prefix = digest(installation);
  const suffix = `_${digest(prefix + libraryText('', '', COMMANDS, readLua))}`;
  const name = `${LIBRARY}${prefix}${suffix}`;
  const text = libraryText(name, suffix, COMMANDS, readLua);
  const library = { name, text, nameOf: (command: CommandName) => `${command.replaceAll('-', '_')}${suffix}` };
  libraries.set(installation, library);
  return library;
}

/** The command that a function in Redis's slow log is. Undefined for one of another product. */
export function commandOf(functionName: string): CommandName | undefined {
  const name = functionName.slice(0, -DIGEST_LENGTH - 1).replaceAll('_', '-');
  return COMMANDS.map((file) => path.posix.basename(file) as CommandName).find((command) => command === name);
}

/**
 * Runs commands as Redis functions, with the texts of replies as strings or as bytes. A node without the library, such
 * as a new one of a cluster, gets it and repeats.
 */
export function createRunner(redis: Redis, as: 'texts' | 'bytes' = 'texts', observe?: ObserveCommand): RunCommand {
  const run: RunCommand = async (command, { prefix, base, shared }, ...args) => {
    const library = libraryOf(prefix);
    const name = library.nameOf(command);
    const call = () =>
      as === 'texts'
        ? redis.fcall(name, 2, base, shared, ...args)
        : redis.callBuffer('FCALL', name, 2, base, shared, ...args);
    try {
      return await call();
    } catch (error) {
      if (!isMissing(error)) throw error;
      await load(redis, library);
      return call();
    }
  };
  if (observe === undefined) return run;
  return async (command, ...more) => {
    const startedMs = performance.now();
    const reply = await run(command, ...more);
    observe(command, (performance.now() - startedMs) / 1000);
    return reply;
  };
}

/** Runs a command on the mechanism and shard that `runnerOf` was given. */
export type Run = (command: CommandName, ...args: Argument[]) => Promise<unknown>;

/** `createRunner` for one mechanism and shard. */
export function runnerOf(redis: Redis, keys: EngineKeys, as: 'texts' | 'bytes', observe?: ObserveCommand): Run {
  const run = createRunner(redis, as, observe);
  return (command, ...args) => run(command, keys, ...args);
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('ERR Function not found');

/** What a check of the functions found. */
export interface FunctionsCheck {
  /** Somebody had replaced the library under its name. The check has put its own text back. */
  readonly wasForeign: boolean;
}

/**
 * Loads the library on every master that lacks it or has another text under its name. A Redis user that may not load
 * functions uses the library that an operator has loaded (`npx mailhook functions`). Rejects if it is not there, with
 * what to do.
 */
export const loadFunctions = (redis: Redis, queuePrefix: string): Promise<FunctionsCheck> =>
  load(redis, libraryOf(withoutBraces(queuePrefix)));

async function load(redis: Redis, library: Library): Promise<FunctionsCheck> {
  let wasForeign = false;
  await onEveryMaster(redis, async (node) => {
    if (await loadOn(node, library)) wasForeign = true;
  });
  return { wasForeign };
}

/** Returns whether the library had another text. */
async function loadOn(node: Redis, { name, text }: Library): Promise<boolean> {
  const attempt = await tryToLoad(node, name, text);
  if (attempt === 'loaded') return false;
  const found = await textOn(node, name);
  if (found === text) return false;
  if (attempt === 'refused') throw new Error(found === undefined ? NOT_LOADED : REPLACED);
  await node.function('LOAD', 'REPLACE', text);
  return found !== undefined;
}

async function tryToLoad(node: Redis, name: string, text: string): Promise<'loaded' | 'there' | 'refused'> {
  try {
    await node.function('LOAD', text);
    return 'loaded';
  } catch (error) {
    const { message } = error as Error;
    if (message.startsWith('NOPERM')) return 'refused';
    if (message !== `ERR Library '${name}' already exists`) throw error;
    return 'there';
  }
}

/** The text of a library. Undefined if there is none of this name. */
async function textOn(node: Redis, name: string): Promise<unknown> {
  const [found] = (await node.function('LIST', 'LIBRARYNAME', name, 'WITHCODE')) as unknown[][];
  return found?.[found.indexOf('library_code') + 1];
}

const BY_AN_OPERATOR =
  'the Redis user in REDIS_URL may not load functions. Load them with `npx mailhook functions`, or give the user +function|load (docs/deployment.md).';
const NOT_LOADED = `The functions of this version are not in Redis, and ${BY_AN_OPERATOR}`;
const REPLACED = `Somebody has replaced the functions in Redis by others, and ${BY_AN_OPERATOR}`;

const HOUR_MS = 3_600_000;

/** Loads the functions when a process starts, and checks and keeps them while it runs. Rejects like `loadFunctions`. */
export async function openFunctions(redis: Redis, queuePrefix: string, logger: Logger) {
  let last: FunctionsCheck = { wasForeign: false };
  const check = async (): Promise<void> => {
    last = await loadFunctions(redis, queuePrefix);
    if (last.wasForeign)
      logger.error('somebody had replaced the functions in Redis; they are put back, and may have run meanwhile');
  };
  const onError = (error: unknown): void =>
    void logger.warn('the functions in Redis could not be checked', { error: (error as Error).message });
  const keep = (): Promise<void> => keepFunctions(redis, queuePrefix).catch(onError);
  await check();
  void keep();
  const hourly = (): void => void check().catch(onError).then(keep);
  const timer = setInterval(hourly, HOUR_MS).unref();
  return {
    observe(metrics: Metrics): void {
      metrics.gauge({
        name: 'mailhook_functions_replaced',
        help: "Whether the last check (at the start, and every hour) found other code in Redis under the name of Mailhook's functions.",
        collect: (gauge) => gauge.set(last.wasForeign ? 1 : 0),
      });
    },
    close(): Promise<void> {
      clearInterval(timer);
      return Promise.resolve();
    },
  };
}

/**
 * Notes that this version's library is in use, and removes the installation's libraries that no process has noted for a
 * day. Call it at the start and every hour. A library that is removed too early is loaded again by the next call.
 */
export async function keepFunctions(redis: Redis, queuePrefix: string, nowMs = Date.now()): Promise<void> {
  const installation = withoutBraces(queuePrefix);
  const { name } = libraryOf(installation);
  const uses = `${queuePrefix}:libraries`;
  await redis.hset(uses, name, nowMs);
  const noted = await redis.hgetall(uses);
  await onEveryMaster(redis, async (node) => {
    const found = (await node.function('LIST', 'LIBRARYNAME', `${LIBRARY}${digest(installation)}_*`)) as unknown[][];
    for (const library of found.map((row) => String(row[row.indexOf('library_name') + 1]))) {
      if (nowMs - Number(noted[library] ?? 0) < UNUSED_MS) continue;
      // Another process may have removed it.
      await node.function('DELETE', library).catch(() => undefined);
    }
  });
  const unused = Object.keys(noted).filter((library) => nowMs - Number(noted[library]) >= UNUSED_MS);
  if (unused.length > 0) await redis.hdel(uses, ...unused);
}
