import type { Request, RequestHandler, Router } from 'express';
import { portalInput } from '@mailhook/core';
import type { Store } from '@mailhook/core';
import { addRoute, optionalBody, parseOrThrow, pathParameter, ProblemError } from '@mailhook/platform/http-server';
import type { Logger } from '@mailhook/platform/logger';
import { endOf } from '../accounts/tokens.ts';
import type { PortalLinks } from '../auth/portal-links.ts';
import { isPlainLoopback } from '../auth/secure-cookies.ts';
import type { Sessions } from '../auth/sessions.ts';

export interface PortalRoutesDeps {
  readonly store: Store;
  readonly links: PortalLinks;
  readonly sessions: Pick<Sessions, 'closeAllOf'>;
  /** `PUBLIC_URL`. */
  readonly publicUrl: string | undefined;
  readonly publicPort: () => number;
  readonly logger: Logger;
}

/** The part of the admin API that gives a platform's customer access to the settings page, and takes it away. */
export function addPortalRoutes(router: Router, before: readonly RequestHandler[], deps: PortalRoutesDeps): void {
  addRoute(router, '/admin/accounts/:account/portal', {
    post: [...before, createLink(deps)],
    delete: [...before, revoke(deps)],
  });
}

const createLink =
  ({ links, logger, publicUrl, publicPort }: PortalRoutesDeps): RequestHandler =>
  async (request, response) => {
    const input = parseOrThrow(portalInput, optionalBody(request.body));
    const account = pathParameter(request, 'account');
    endOf(input.sessionExpiresAt, 'sessionExpiresAt');
    const base = publicUrl ?? urlOnThisMachine(request, publicPort());
    const { token, expiresAt } = await links.create(account, input);
    logger.info('a portal link was created', { account });
    const url = new URL(`/settings/portal?link=${token}`, base);
    response.status(201).json({ url: url.href, expiresAt: expiresAt.toISOString() });
  };

/** Without `PUBLIC_URL`, only a caller on this machine gets a link. The Host header is the caller's own text. */
function urlOnThisMachine({ socket }: Request, port: number): string {
  const address = socket.localAddress?.replace(/^::ffff:/, '') ?? '';
  const url = `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
  if (isPlainLoopback(url)) return url;
  throw new ProblemError('conflict', {
    detail:
      'Set PUBLIC_URL of the api to the https URL at which customers reach the settings page. Portal links need it.',
  });
}

const revoke =
  ({ store, sessions, logger }: PortalRoutesDeps): RequestHandler =>
  async (request, response) => {
    const account = pathParameter(request, 'account');
    if ((await store.load(account)) === undefined) {
      throw new ProblemError('not_found', { detail: 'There is no account with this id.' });
    }
    await sessions.closeAllOf(account);
    logger.info('portal links and sessions were revoked', { account });
    response.json({ success: true });
  };
