import type { Store } from '@mailhook/core';
import type { Logger } from '@mailhook/platform/logger';
import type { Accounts } from './accounts/accounts.ts';
import { createDeliveryHistory } from '@mailhook/delivery';
import { addRoute, noStore } from '@mailhook/platform/http-server';
import type { Redis } from '@mailhook/platform/redis';
import type { Express, RequestHandler } from 'express';
import { createAdminDocument } from './api-docs/admin-document.ts';
import { createApiDocument } from './api-docs/document.ts';
import { createPayloadSchemas } from './api-docs/payload-schemas.ts';
import type { Config } from './config.ts';
import { addOverviewPage } from './pages/operations/overview-page.ts';
import type { OverviewPageDeps } from './pages/operations/overview-page.ts';
import type { AccountApi } from './customer-api/account-api.ts';
import { createPortalEpochs } from './auth/portal-epochs.ts';
import { createPortalLinks } from './auth/portal-links.ts';
import type { PortalLinks } from './auth/portal-links.ts';
import { publicUrlWarning } from './auth/secure-cookies.ts';
import { createSessions } from './auth/sessions.ts';
import type { Sessions } from './auth/sessions.ts';
import { addAdminDocumentRoute, addApiDocsRoutes, addSchemaRoutes } from './pages/guides/api-reference.ts';
import { addGuideRoutes, addRunbookRoute } from './pages/guides/guide-routes.ts';
import type { Guides } from './pages/guides/guides.ts';
import { loadAssets } from './pages/html/assets.ts';
import type { Assets } from './pages/html/assets.ts';
import { brandStyles } from './pages/html/brand.ts';
import type { Brand } from './pages/html/brand.ts';
import { addSettingsPage } from './pages/settings/settings-page.ts';
import type { ApiData, OpenedAccounts, Protection, Records } from './parts.ts';
import { createSnippets } from './pages/settings/snippets.ts';

interface AccessDeps extends Pick<Accounts, 'tokens'> {
  readonly redis: Redis;
  readonly store: Store;
  readonly logger: Logger;
}

/** Sessions of the settings page, and the portal links that open some of them. */
export function createAccess(
  config: Config,
  { redis, store, tokens, logger }: AccessDeps,
): { sessions: Sessions; links: PortalLinks } {
  const { QUEUE_PREFIX: prefix, PUBLIC_URL: publicUrl } = config;
  const warning = publicUrlWarning(publicUrl);
  if (warning !== undefined) logger.warn(warning, { publicUrl });
  const epochs = createPortalEpochs({ redis, prefix });
  return {
    sessions: createSessions({ redis, prefix, tokens, epochs }),
    links: createPortalLinks({ redis, prefix, epochs, store }),
  };
}

interface PagesDeps {
  readonly api: AccountApi;
  readonly data: ApiData;
  readonly opened: Pick<OpenedAccounts, 'sessions' | 'links'>;
  readonly protection: Protection;
  readonly records: Records;
  readonly guides: Guides;
}

/** The settings page, the guides and the API documents. */
export function createPages(config: Config, folder: string, deps: PagesDeps): (app: Express) => void {
  const { data, guides, protection, records } = deps;
  const { PUBLIC_URL: publicUrl } = config;
  const brand: Brand = {
    name: config.BRAND_NAME,
    logoUrl: config.BRAND_LOGO_URL,
    color: config.BRAND_COLOR,
    url: config.BRAND_URL,
  };
  const assets = loadAssets(folder, undefined, brandStyles(brand));
  return (app) => {
    addSettingsPage(app, {
      api: deps.api,
      audit: records.audit,
      logger: records.logger,
      store: data.store,
      history: createDeliveryHistory(data.installation),
      ...deps.opened,
      signIn: protection.authenticate.signIn,
      bodies: protection.bodies,
      limits: protection.limits,
      security: protection.security,
      assets,
      brand,
      frameAncestors: config.PORTAL_FRAME_ANCESTORS,
      snippets: createSnippets(guides.receivers),
      publicUrl,
      now: () => Date.now(),
    });
    addGuideRoutes(app, { guides, assets });
    addApiDocsRoutes(app, createApiDocument(publicUrl), assets);
    addSchemaRoutes(app, createPayloadSchemas());
    addRoute(app, '/', { get: [(_request, response) => response.redirect('/settings/webhooks')] });
    // For load balancers: that this process answers. Whether it can work is on the operations port, where nobody
    // outside learns why not.
    addRoute(app, '/healthz', { get: [noStore, (_request, response) => void response.json({ status: 'ok' })] });
  };
}

/** The overview, the runbook and the document of the admin API. */
export const createOperationsPages =
  (assets: Assets, guides: Guides) =>
  (overview: Omit<OverviewPageDeps, 'assets'>) =>
  (app: Express, basicAuth: RequestHandler): void => {
    addRoute(app, '/', { get: [(_request, response) => response.redirect('/admin')] });
    addOverviewPage(app, basicAuth, { ...overview, assets });
    addRunbookRoute(app, basicAuth, { guides, assets });
    addAdminDocumentRoute(app, createAdminDocument());
  };
