import type { OperationsPagesDeps } from '@mailhook/console';
import { createDestinationControl } from '@mailhook/delivery';
import {
  createAttemptLog,
  createDeliveryHistory,
  createDestinationLists,
  createFindDestination,
  createOverview,
  createReadDestinations,
  createTrends,
} from '@mailhook/insight';
import { startOperationsServer } from '@mailhook/platform/http-server';
import type { OperationsServerOptions } from '@mailhook/platform/http-server';
import type { Logger } from '@mailhook/platform/logger';
import type { Owned } from '@mailhook/platform/lifecycle';
import type { Express, RequestHandler, Response } from 'express';
import { extendOperations } from '../app.ts';
import { originOf } from '../audit/audit-requests.ts';
import { createOperatorsAudit } from '../audit/operators-audit.ts';
import { operatorOf } from '../auth/admin-tokens.ts';
import { notePerson } from '../auth/operator-header.ts';
import { pageHost } from './pages.ts';
import type { Config } from '../config.ts';
import type { AdminServices } from '../endpoints/admin/endpoint.ts';
import { translateError } from '../http/errors.ts';
import { operatorRules } from '../operations/token-rules.ts';
import { createAccountChanges } from '../operations/account-changes.ts';
import { createAccountsOverview } from '../operations/accounts-overview.ts';
import { createBoard } from '../operations/board.ts';
import { createDestinationActions } from '../operations/destination-actions.ts';
import type { WatchedLog } from '../event-log/open.ts';
import { apiFindings } from '../operations/findings.ts';
import { intakeReport } from '../operations/installation.ts';
import type { InstallationDeps } from '../operations/installation.ts';
import { createReadOperations } from '../operations/operations-overview.ts';
import { createPortal } from '../operations/portal.ts';
import { createProducerTokens } from '../operations/producer-tokens.ts';
import type { Protection } from '../auth/protection.ts';
import { createAccessTokens } from '../accounts/access-tokens.ts';
import { OPERATORS } from '../accounts/token-uses.ts';
import type { ApiData, OpenedAccounts, Records } from './parts.ts';

export interface OperationsParts {
  readonly data: ApiData;
  readonly opened: OpenedAccounts;
  readonly protection: Protection;
  readonly records: Records;
  readonly health: Pick<OperationsServerOptions, 'isReady' | 'hopeless'> &
    Pick<InstallationDeps, 'intake' | 'refusals'>;
  readonly openLog: WatchedLog | undefined;
  /** Adds the pages, the runbook and the document of the admin API. */
  readonly pagesOf: (pages: Omit<OperationsPagesDeps, 'assets'>) => (app: Express, basicAuth: RequestHandler) => void;
  readonly notFoundPage: RequestHandler;
  readonly publicPort: () => number;
}

/** Starts the operations port: health, metrics, the admin API, the pages of operators and Bull Board. */
export async function startOperations(
  config: Config,
  parts: OperationsParts,
  owned: Owned,
): Promise<{ readonly port: number }> {
  const { bodies, attempts, authenticate, security } = parts.protection;
  const { audit, logger, metrics } = parts.records;
  const { installation } = parts.data;
  const board = owned(await createBoard(installation, config.BULL_BOARD_READ_ONLY));
  const services = createAdminServices(config, parts);
  const pages = {
    ...pageHost(parts.records, parts.protection, undefined),
    originOf: (response: Response) => ({ ...operatorOf(response), ...originOf(response) }),
    services,
    noteSecurity: security.note,
  };
  return owned(
    await startOperationsServer({
      host: config.OPS_HOST,
      port: config.OPS_PORT,
      metrics,
      logger,
      ...parts.health,
      extend: extendOperations({
        access: { authenticate, adminTokens: parts.opened.adminTokens, attempts, security },
        services,
        audit,
        board,
        bodies,
        signInProxy: signInProxyOf(config, logger),
        addPages: parts.pagesOf(pages),
      }),
      notFoundPage: parts.notFoundPage,
      translate: translateError,
      onProblem: security.noteRefusal,
    }),
  );
}

function signInProxyOf({ OPERATOR_HEADER: header, TRUST_PROXY: trusted }: Config, logger: Logger) {
  return header === undefined ? undefined : { trusted, notePerson: notePerson({ header, logger }) };
}

/** What operators read and do, for the admin API and the pages. */
function createAdminServices(
  config: Config,
  { data, opened, records, health, openLog, publicPort }: OperationsParts,
): AdminServices {
  const { installation, store, usages, deadLetters, discard } = data;
  const { deletions, erasures, links, sessions } = opened;
  const { routing, tokens, producerTokens, tokenUses, bus } = opened.accounts;
  const { audit, logger } = records;
  const findDestination = createFindDestination(installation);
  const accounts = createAccountsOverview({
    store,
    findDestination,
    usages,
    readDestinations: createReadDestinations(installation),
    limits: { events: config.WAITING_MAX_EVENTS, bytes: config.WAITING_MAX_BYTES },
  });
  const overview = createOverview(installation);
  const trends = createTrends(installation);
  const tokensOfProducers = createProducerTokens({ store, producerTokens, tokenUses, bus });
  return {
    accounts,
    accountChanges: createAccountChanges({ store, routing, deletions, erasures }),
    tokens: createAccessTokens({ store, tokens, tokenUses, bus }, operatorRules),
    producerTokens: tokensOfProducers,
    portal: createPortal({ store, links, sessions, publicUrl: config.PUBLIC_URL, publicPort, logger }),
    audit: createOperatorsAudit(audit),
    overview,
    readOperations: createReadOperations({
      installation,
      ...health,
      openLog,
      labelsOfProducers: async () => new Map((await tokensOfProducers.list()).map(({ id, label }) => [id, label])),
      trends,
      accounts,
      deadLetters,
      overview,
    }),
    lists: createDestinationLists(installation),
    destinations: createDestinationActions({
      find: findDestination,
      control: createDestinationControl(installation),
      attempts: createAttemptLog(installation),
      history: createDeliveryHistory(installation),
      deadlineMs: config.DELIVERY_TIMEOUT_MS,
      logger,
      now: () => Date.now(),
    }),
    deadLetters,
    discard,
    trends,
    ownState: async () => {
      const notReady = await health.isReady().catch(() => []);
      const intake = intakeReport(health.intake);
      return { intake, findings: apiFindings({ notReady, intake }) };
    },
    adminTokens: async () => {
      const uses = await tokenUses.read(OPERATORS);
      return opened.adminTokens.list().map((one) => ({ ...one, lastUsedAt: uses.get(one.label ?? '') ?? null }));
    },
    isHttpsOnly: config.HTTPS_ONLY_DESTINATIONS,
  };
}
