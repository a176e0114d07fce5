import type { Closeable } from '@mailhook/platform/lifecycle';
import type { Logger } from '@mailhook/platform/logger';

/** A token in a file that may change while the api runs. */
export interface TokenFile<Value> {
  /** Such as `ADMIN_TOKEN_FILE`. */
  readonly variable: string;
  /** Reads the file. Throws an error for operators if it cannot be used. */
  readonly read: () => Value;
  /** The value that is in use now. */
  readonly current: Value;
  /** Takes a new value into use. */
  readonly use: (value: Value) => void;
}

/** Reading a small file takes less than a millisecond. */
const EVERY_MS = 2000;

/**
 * Takes a changed file into use within seconds. Reads it again and again, because Kubernetes replaces mounted secrets
 * by a symbolic link to a folder, which `fs.watch` does not notice. A file that cannot be used is logged once, and the
 * value before stays in use.
 */
export function watchFile<Value>({ variable, read, current, use }: TokenFile<Value>, logger: Logger): Closeable {
  let used = JSON.stringify(current);
  let reported: string | undefined;
  const check = (): void => {
    try {
      const value = read();
      const text = JSON.stringify(value);
      if (text !== used) {
        use(value);
        logger.info('a changed token file is in use', { variable });
      } else if (reported !== undefined) logger.info('a token file can be used again', { variable });
      used = text;
      reported = undefined;
    } catch (error) {
      const reason = String(error);
      if (reason === reported) return;
      reported = reason;
      logger.error('a changed token file cannot be used; the token before stays valid', { variable, reason });
    }
  };
  const timer = setInterval(check, EVERY_MS);
  return {
    close: () => {
      clearInterval(timer);
      return Promise.resolve();
    },
  };
}
