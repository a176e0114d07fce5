import type { Store, OperatorServices, PortalLinks, Sessions } from '@mailhook/core';
import { ProblemError } from '@mailhook/platform/http-server';
import type { Logger } from '@mailhook/platform/logger';
import { endOf } from '../accounts/tokens.ts';
import { isPlainLoopback } from '../auth/secure-cookies.ts';
import { unknownAccount } from './accounts-overview.ts';

interface PortalDeps {
  readonly store: Store;
  readonly links: PortalLinks;
  readonly sessions: Pick<Sessions, 'closeAllOf'>;
  /** `PUBLIC_URL`. */
  readonly publicUrl: string | undefined;
  readonly publicPort: () => number;
  readonly logger: Logger;
}

export const createPortal = ({
  store,
  links,
  sessions,
  publicUrl,
  publicPort,
  logger,
}: PortalDeps): OperatorServices['portal'] => ({
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
