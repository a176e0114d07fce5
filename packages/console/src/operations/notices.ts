import { randomBytes } from 'node:crypto';
import type { Redis } from '@mailhook/platform/redis';
import type { Notice } from './view.ts';

/**
 * Notices of what a button has done, for the page that the browser loads next, on any replica. No link can invent one.
 */
export interface Notices {
  /** Resolves with the id under which `take` finds the notice, or undefined while Redis is down. */
  leave(notice: Notice): Promise<string | undefined>;
  /** Each notice is shown once. */
  take(id: string): Promise<Notice | undefined>;
}

const KEPT_S = 60;

export function createNotices({ redis, prefix }: { redis: Redis; prefix: string }): Notices {
  const keyOf = (id: string): string => `${prefix}:operations-notices:${id}`;
  return {
    async leave(notice) {
      const id = randomBytes(12).toString('base64url');
      const isKept = await redis.set(keyOf(id), JSON.stringify(notice), 'EX', KEPT_S).catch(() => undefined);
      return isKept && id;
    },
    async take(id) {
      const found = await redis.getdel(keyOf(id)).catch(() => null);
      return found === null ? undefined : (JSON.parse(found) as Notice);
    },
  };
}
