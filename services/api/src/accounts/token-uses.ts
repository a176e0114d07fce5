import type { Closeable } from '@mailhook/platform/lifecycle';
import { every } from '@mailhook/platform/timers';
import type { Logger } from '@mailhook/platform/logger';
import type { Redis } from '@mailhook/platform/redis';

/** When each token was last used, accurate to about a minute. */
export interface TokenUses extends Closeable {
  note(account: string, token: string): void;
  /** ISO 8601, by token id. Without tokens that were never used. */
  read(account: string): Promise<ReadonlyMap<string, string>>;
  forget(account: string): Promise<void>;
}

interface TokenUsesDeps {
  readonly redis: Redis;
  readonly prefix: string;
  readonly logger: Logger;
}

/** Stands for the account of a producer token. No account has such an id. */
export const PRODUCERS = '*';
/** The same for the labels of admin tokens. */
export const OPERATORS = '**';

const WRITE_EVERY_MS = 60_000;

/** Writes the uses of the last minute at once, so that a request costs nothing more. */
export function createTokenUses({ redis, prefix, logger }: TokenUsesDeps): TokenUses {
  const keyOf = (account: string): string => `${prefix}:token-uses:${account}`;
  const uses = new Map<string, Map<string, number>>();
  const write = async (): Promise<void> => {
    const written = [...uses];
    uses.clear();
    await Promise.all(written.map(([account, times]) => redis.hset(keyOf(account), times)));
  };
  const writeOrWarn = (): Promise<void> =>
    write().catch((error: unknown) => {
      logger.warn('the last uses of tokens could not be written', { error });
    });
  const writing = every(WRITE_EVERY_MS, writeOrWarn);
  return {
    note: (account, token) => {
      let times = uses.get(account);
      if (times === undefined) uses.set(account, (times = new Map<string, number>()));
      times.set(token, Date.now());
    },
    async read(account) {
      const found = Object.entries(await redis.hgetall(keyOf(account)));
      const unwritten = [...(uses.get(account) ?? [])];
      return new Map([...found, ...unwritten].map(([id, time]) => [id, new Date(Number(time)).toISOString()]));
    },
    async forget(account) {
      uses.delete(account);
      await redis.del(keyOf(account));
    },
    close: async () => {
      await writing.close();
      await writeOrWarn();
    },
  };
}
