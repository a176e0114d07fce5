import {
  addAdminDocumentRoute,
  addApiDocsRoutes,
  addGuideRoutes,
  addOperationsPages,
  addRunbookRoute,
  addSchemaRoutes,
  addSettingsPage,
  brandStyles,
  createSnippets,
  loadAssets,
  operationsNotFoundPage,
  settingsNotFoundPage,
} from '@mailhook/console';
import type { Assets, Guides, OperationsPagesDeps, PageHost, SettingsPageDeps } from '@mailhook/console';
import type { CustomerServices, PortalLinks, Sessions, Store } from '@mailhook/core';
import { KEPT, LOGGED_ROWS_KEPT } from '@mailhook/delivery';
import { createDeliveryHistory, SEARCHED_MAX } from '@mailhook/insight';
import { addRoute, asProblem, noStore } from '@mailhook/platform/http-server';
import type { Logger } from '@mailhook/platform/logger';
import type { Redis } from '@mailhook/platform/redis';
import type { Express, RequestHandler } from 'express';
import type { PublicAppDeps } from '../app.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { createAdminDocument } from '../api-docs/admin-document.ts';
import { createApiDocument } from '../api-docs/document.ts';
import { createPayloadSchemas, SCHEMA_INDEX } from '../api-docs/payload-schemas.ts';
import { originOf } from '../audit/audit-requests.ts';
import { clientAddressOf, clientKey } from '../auth/client-address.ts';
import { createPortalEpochs } from '../auth/portal-epochs.ts';
import { createPortalLinks } from '../auth/portal-links.ts';
import { createSameSiteCheck } from '../auth/same-site.ts';
import { isPlainLoopback, publicUrlWarning } from '../auth/secure-cookies.ts';
import { createSessions } from '../auth/sessions.ts';
import type { Config } from '../config.ts';
import { translateError } from '../http/errors.ts';
import { SECURITY_TXT_PATH, serveSecurityTxt } from '../http/security-txt.ts';
import type { Protection } from '../auth/protection.ts';
import type { ApiData, OpenedAccounts, Records } from './parts.ts';

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
  readonly api: CustomerServices;
  readonly data: ApiData;
  readonly opened: Pick<OpenedAccounts, 'sessions' | 'links' | 'alerts'>;
  readonly protection: Protection;
  readonly records: Records;
  readonly guides: Guides;
}

/** The settings page, the guides and the API documents. */
export function createPages(
  config: Config,
  folder: string,
  deps: PagesDeps,
): Pick<PublicAppDeps, 'extend' | 'notFoundPage'> {
  const { data, guides, protection, records } = deps;
  const { PUBLIC_URL: publicUrl } = config;
  const brand = {
    name: config.BRAND_NAME,
    logoUrl: config.BRAND_LOGO_URL,
    color: config.BRAND_COLOR,
    url: config.BRAND_URL,
  };
  const assets = loadAssets(folder, undefined, brandStyles(brand));
  const settings: SettingsPageDeps = {
    ...pageHost(records, protection, publicUrl),
    originOf,
    api: deps.api,
    nameOf: async (account) => (await data.store.load(account))?.name,
    readHistory: createDeliveryHistory(data.installation).readAccount,
    deadlineMs: config.DELIVERY_TIMEOUT_MS,
    kept: {
      ...KEPT,
      ...SEARCHED_MAX,
      delivered: deps.api.eventLog.isOn ? LOGGED_ROWS_KEPT : KEPT.attempts,
    },
    ...deps.opened,
    alertLinks: deps.opened.alerts.links,
    signIn: protection.authenticate.signIn,
    limits: protection.limits,
    security: protection.security,
    assets,
    brand,
    frameAncestors: config.PORTAL_FRAME_ANCESTORS,
    language: config.PORTAL_LANGUAGE,
    snippets: createSnippets(guides.receivers),
    isHttps: publicUrl?.startsWith('https:') === true,
    isCookieSecure: !isPlainLoopback(publicUrl),
    publicUrl,
    port: publicUrl === undefined ? '' : new URL(publicUrl).port,
    now: () => Date.now(),
  };
  const extend = (app: Express): void => {
    addSettingsPage(app, settings);
    addGuideRoutes(app, { guides, assets });
    addApiDocsRoutes(app, () => createApiDocument(publicUrl, config.DELIVERY_TIMEOUT_MS), assets);
    addSchemaRoutes(app, createPayloadSchemas(), SCHEMA_INDEX);
    addRoute(app, '/', { get: [(_request, response) => response.redirect('/settings/webhooks')] });
    if (config.SECURITY_CONTACT !== undefined) {
      const options = { contact: config.SECURITY_CONTACT, publicUrl, language: config.PORTAL_LANGUAGE };
      addRoute(app, SECURITY_TXT_PATH, { get: [serveSecurityTxt(options)] });
    }
    // For load balancers: that this process answers. Whether it can work is on the operations port, where nobody
    // outside learns why not.
    addRoute(app, '/healthz', { get: [noStore, (_request, response) => void response.json({ status: 'ok' })] });
  };
  return { extend, notFoundPage: settingsNotFoundPage(settings) };
}

/** What both pages need. They know by themselves whose requests they get. */
export const pageHost = (
  { audit, logger }: Records,
  { bodies }: Protection,
  publicUrl: string | undefined,
): Omit<PageHost, 'originOf'> => ({
  asProblem: (error) => asProblem(error, translateError),
  refuseForeignSites: createSameSiteCheck(publicUrl),
  clientOf: (request) => clientKey(clientAddressOf(request)),
  bodies,
  audit,
  logger,
});

/** The pages of operators, the runbook and the document of the admin API. */
export const createOperationsPages = (assets: Assets, guides: Guides) => ({
  pagesOf: (pages: Omit<OperationsPagesDeps, 'assets'>) => (app: Express, basicAuth: RequestHandler) => {
    addRoute(app, '/', { get: [(_request, response) => response.redirect('/admin')] });
    addOperationsPages(app, basicAuth, { ...pages, assets });
    addRunbookRoute(app, basicAuth, { guides, assets });
    addAdminDocumentRoute(app, createAdminDocument);
  },
  notFoundPage: operationsNotFoundPage(assets),
});
