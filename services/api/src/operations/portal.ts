import type { Access, PortalInput, Store } from '@mailhook/core';
import { ProblemError } from '@mailhook/platform/http-server';
import type { Operator } from '@mailhook/console';
import type { Logger } from '@mailhook/platform/logger';
import { endOf } from '../accounts/tokens.ts';
import type { PortalLinks } from '../auth/portal-links.ts';
import { isPlainLoopback } from '../auth/secure-cookies.ts';
import type { Sessions } from '../auth/sessions.ts';
import { unknownAccount } from './accounts-overview.ts';

/** Gives a platform's customer access to the settings page, and takes it away. Rejects with a 404, a 409 or a 422. */
export interface Portal {
  /**
   * @param caller `calledAt`: the address of this machine at which the caller has reached it. `operator`: who opens the
   *   account as its customer.
   */
  createLink(
    account: string,
    input: PortalInput,
    caller: { readonly calledAt: string | undefined; readonly operator?: Operator },
  ): Promise<{ readonly url: string; readonly expiresAt: string; readonly access: Access }>;
  /** Ends the sessions that links have opened, and revokes unused links. */
  revoke(account: string): Promise<void>;
}

interface PortalDeps {
  readonly store: Store;
  readonly links: PortalLinks;
  readonly sessions: Pick<Sessions, 'closeAllOf'>;
  /** `PUBLIC_URL`. */
  readonly publicUrl: string | undefined;
  readonly publicPort: () => number;
  readonly logger: Logger;
}

export const createPortal = ({ store, links, sessions, publicUrl, publicPort, logger }: PortalDeps): Portal => ({
  async createLink(account, input, { calledAt, operator }) {
    endOf(input.sessionExpiresAt, 'sessionExpiresAt');
    const base = publicUrl ?? urlOnThisMachine(publicPort(), calledAt);
    const { token, expiresAt } = await links.create(account, { ...input, operator });
    logger.info('a portal link was created', { account });
    const url = new URL(`/settings/portal?link=${token}`, base).href;
    return { url, expiresAt: expiresAt.toISOString(), access: input.access ?? 'manage' };
  },
  async revoke(account) {
    if ((await store.load(account)) === undefined) throw unknownAccount();
    await sessions.closeAllOf(account);
    logger.info('portal links and sessions were revoked', { account });
  },
});

/** Without `PUBLIC_URL`, only a caller on this machine gets a link. The Host header is the caller's own text. */
function urlOnThisMachine(port: number, calledAt = ''): string {
  const address = calledAt.replace(/^::ffff:/, '');
  const url = `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
  if (isPlainLoopback(url)) return url;
  throw new ProblemError('conflict', {
    detail:
      'Set PUBLIC_URL of the api to the https URL at which customers reach the settings page. Portal links need it.',
  });
}
