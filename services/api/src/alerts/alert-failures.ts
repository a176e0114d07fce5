import { readCoded } from '@mailhook/core';
import type { AlertAddress, CodedText } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';

type Failure = AlertAddress['lastFailure'];

/** Why the last alert to a reader could not be sent, for 7 days or until the next one is sent. */
export interface AlertFailures {
  note(reader: string, reason: CodedText): Promise<void>;
  forget(reader: string): Promise<void>;
  /** In the order of the readers. */
  read(readers: readonly string[]): Promise<readonly Failure[]>;
}

const KEPT_S = 7 * 86_400;

export function createAlertFailures({
  redis,
  prefix,
}: {
  readonly redis: Redis;
  readonly prefix: string;
}): AlertFailures {
  const keyOf = (reader: string): string => `${prefix}:alerts:unsent:${reader}`;
  return {
    note: async (reader, reason) => {
      await redis.set(keyOf(reader), `${Date.now()} ${reason.packed}`, 'EX', KEPT_S);
    },
    forget: async (reader) => {
      await redis.del(keyOf(reader));
    },
    read: async (readers) => {
      const found = await Promise.all(readers.map((reader) => redis.get(keyOf(reader))));
      return found.map((text) => {
        if (text === null) return null;
        const at = text.indexOf(' ');
        return { time: new Date(Number(text.slice(0, at))).toISOString(), reason: readCoded(text.slice(at + 1)) };
      });
    },
  };
}
