import type { Logger } from '../logger/index.ts';
import { placeOfRedisUrl } from '../redis/index.ts';
import { commonEnvironment } from './environments.ts';
import { fileVariable } from './known-variables.ts';
import { readConfig } from './read-config.ts';
import type { FileWatch } from './watch-file.ts';
import { watchFile } from './watch-file.ts';

/** Reads `REDIS_URL` again from its file. Undefined if it has none. Throws ConfigError. */
export const redisUrlReader = (env: NodeJS.ProcessEnv): (() => string) | undefined =>
  env[fileVariable('REDIS_URL')]
    ? () => readConfig({ REDIS_URL: commonEnvironment.REDIS_URL }, env).REDIS_URL
    : undefined;

interface RedisUrlSource {
  readonly REDIS_URL: string;
  readonly readAgain: { readonly redisUrl: (() => string) | undefined };
}

/** The address of Redis for all connections of a service, with the credentials that its file has now. */
export interface RedisUrl extends FileWatch {
  readonly now: () => string;
  /** Logs an error of a connection. For refused credentials the line says how to replace them. */
  readonly onError: (error: Error) => void;
}

const FILE = fileVariable('REDIS_URL');

/**
 * Takes a changed user or password from the file of `REDIS_URL` into use (docs/operations.md). Another host or database
 * needs a restart, because Redis holds what the service has in progress.
 */
export function followRedisUrl({ REDIS_URL, readAgain: { redisUrl } }: RedisUrlSource, logger: Logger): RedisUrl {
  let url = REDIS_URL;
  const read = (readFile: () => string): string => {
    const next = readFile();
    if (placeOfRedisUrl(next) === placeOfRedisUrl(REDIS_URL)) return next;
    throw new Error(`${FILE} names another Redis or database: restart the service to use it`);
  };
  const watch =
    redisUrl &&
    watchFile({ variable: FILE, read: () => read(redisUrl), current: url, use: (next) => (url = next) }, logger);
  const fix = redisUrl
    ? `write the new ones into the file that ${FILE} names; a changed file is read within seconds`
    : `restart the service with the new REDIS_URL; a file that ${FILE} names needs no restart`;
  return {
    now: () => url,
    onError: ({ message }) =>
      /\b(?:WRONGPASS|NOAUTH)\b/.test(message)
        ? logger.error('Redis refuses the user or password in REDIS_URL', { error: message, fix })
        : logger.warn('Redis connection', { error: message }),
    close: async () => watch?.close(),
  };
}
