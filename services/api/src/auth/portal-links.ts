import { createHash, randomBytes } from 'node:crypto';
import type { PortalGrant, PortalLinks, Store } from '@mailhook/core';
import { ProblemError } from '@mailhook/platform/http-server';
import type { Redis } from '@mailhook/platform/redis';
import type { PortalEpochs } from './portal-epochs.ts';

interface PortalLinksDeps {
  readonly redis: Redis;
  readonly prefix: string;
  readonly epochs: PortalEpochs;
  readonly store: Pick<Store, 'load'>;
}

/** The platform redirects its customer at once, so a link needs to live no longer. */
export const PORTAL_LINK_S = 60;

/** Redis stores only a digest of the link. */
export function createPortalLinks({ redis, prefix, epochs, store }: PortalLinksDeps): PortalLinks {
  const keyOf = (token: string): string =>
    `${prefix}:portal-links:${createHash('sha256').update(token).digest('base64url')}`;
  const grantIn = async (stored: string | null): Promise<PortalGrant | undefined> => {
    if (stored === null) return undefined;
    const grant = JSON.parse(stored) as PortalGrant;
    return (await epochs.of(grant.account)) === grant.epoch ? grant : undefined;
  };
  return {
    async create(account, input) {
      // Read before the account is checked: if the account is deleted in between, the deletion ends this epoch and with
      // it the link.
      const epoch = await epochs.of(account);
      const stored = await store.load(account);
      if (stored === undefined) {
        throw new ProblemError('not_found', { detail: 'There is no account with this id.' });
      }
      const token = randomBytes(32).toString('base64url');
      const grant: PortalGrant = { ...input, account, name: stored.name, epoch };
      const expiresAt = new Date(Date.now() + PORTAL_LINK_S * 1000);
      await redis.set(keyOf(token), JSON.stringify(grant), 'EX', PORTAL_LINK_S);
      return { token, expiresAt };
    },
    peek: async (token) => grantIn(await redis.get(keyOf(token))),
    redeem: async (token) => grantIn(await redis.getdel(keyOf(token))),
  };
}
