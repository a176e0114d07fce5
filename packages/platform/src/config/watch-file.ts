import { every } from '../timers/index.ts';
import type { Logger } from '../logger/index.ts';

/** A variable in a file that may change while the service runs. */
export interface WatchedFile<Value> {
  /** Such as `ADMIN_TOKEN_FILE`. */
  readonly variable: string;
  /** Reads the file. Throws an error for operators if it cannot be used. */
  readonly read: () => Value;
  /** The value that is in use now. */
  readonly current: Value;
  /** Takes a new value into use. */
  readonly use: (value: Value) => void;
}

/** Checks of a file until `close`. */
export interface FileWatch {
  close(): Promise<void>;
}

/** Reading a small file takes less than a millisecond. */
const EVERY_MS = 2000;

/**
 * Takes a changed file into use within seconds. Reads it again and again, because Kubernetes replaces mounted secrets
 * by a symbolic link to a folder, which `fs.watch` does not notice. A file that cannot be used is logged once, and the
 * value before stays in use.
 */
export function watchFile<Value>({ variable, read, current, use }: WatchedFile<Value>, logger: Logger): FileWatch {
  let used = JSON.stringify(current);
  let reported: string | undefined;
  const check = (): void => {
    try {
      const value = read();
      const text = JSON.stringify(value);
      if (text !== used) {
        use(value);
        logger.info('a changed file is in use', { variable });
      } else if (reported !== undefined) logger.info('a file can be used again', { variable });
      used = text;
      reported = undefined;
    } catch (error) {
      const reason = String(error);
      if (reason === reported) return;
      reported = reason;
      logger.error('a changed file cannot be used; the value before stays in use', { variable, reason });
    }
  };
  return every(EVERY_MS, check);
}
