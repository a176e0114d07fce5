import { randomBytes } from 'node:crypto';
import type { Redis } from '@mailhook/platform/redis';

/**
 * Portal links and portal sessions are valid only in the epoch of their account in which the link was created. A new
 * epoch ends all of them in one step.
 */
export interface PortalEpochs {
  of(account: string): Promise<string>;
  /**
   * Begins a new epoch. `forS` must be longer than a link and its session live, so that nothing of an earlier epoch
   * becomes valid again.
   */
  renew(account: string, forS: number): Promise<void>;
}

export function createPortalEpochs({ redis, prefix }: { redis: Redis; prefix: string }): PortalEpochs {
  const keyOf = (account: string): string => `${prefix}:portal-epochs:${account}`;
  return {
    of: async (account) => (await redis.get(keyOf(account))) ?? '',
    renew: async (account, forS) => {
      await redis.set(keyOf(account), randomBytes(12).toString('base64url'), 'EX', forS);
    },
  };
}
