import { hash } from 'node:crypto';
import { onEveryMaster } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { withoutBraces } from './keys.ts';
import type { EngineKeys } from './keys.ts';
import { libraryText, readLua } from './lua-library.ts';

/** The commands of the mailbox. Each is a file in `lua/` and a function of the library in Redis. */
export const COMMANDS = [
  'abandon',
  'add-counts',
  'add-rows',
  'append',
  'claim-ids',
  'discard',
  'erase-dead',
  'erase-resend',
  'erase-waiting',
  'give-up',
  'give-up-step',
  'heartbeat',
  'next',
  'now',
  'pause',
  'probe',
  'queued',
  'recount-queued',
  'redrive',
  'redrive-run',
  'remove-destination',
  'restore-ready',
  'resume',
  'save-destination',
  'send-now',
  'take',
  'unqueued',
  'wake',
] as const;

export type CommandName = (typeof COMMANDS)[number];

/** Runs a command on a mechanism and shard. Rejects with what ioredis rejects with. */
export type RunCommand = (
  command: CommandName,
  keys: Pick<EngineKeys, 'prefix' | 'base' | 'shared'>,
  ...args: (string | number)[]
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
  return COMMANDS.find((command) => command === name);
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

const isMissing = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('ERR Function not found');

/** Loads the library on every master that lacks it. Rejects with what Redis says if the user may not load it. */
export const loadFunctions = (redis: Redis, queuePrefix: string): Promise<void> =>
  load(redis, libraryOf(withoutBraces(queuePrefix)));

async function load(redis: Redis, library: Library): Promise<void> {
  await onEveryMaster(redis, (node) => loadOn(node, library));
}

async function loadOn(node: Redis, { name, text }: Library): Promise<void> {
  try {
    await node.function('LOAD', text);
  } catch (error) {
    if ((error as Error).message !== `ERR Library '${name}' already exists`) throw error;
  }
}

const HOUR_MS = 3_600_000;

/** Loads the functions when a process starts, and keeps them while it runs. Rejects like `loadFunctions`. */
export async function openFunctions(redis: Redis, queuePrefix: string, onError: (error: Error) => void) {
  await loadFunctions(redis, queuePrefix);
  const keep = (): void => void keepFunctions(redis, queuePrefix).catch((error: unknown) => onError(error as Error));
  keep();
  const timer = setInterval(keep, HOUR_MS).unref();
  return {
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
