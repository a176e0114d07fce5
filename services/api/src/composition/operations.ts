import { createNotices } from '@mailhook/console';
import type { OverviewPageDeps } from '@mailhook/console';
import { discardInput, dropInput, operatorPauseInput } from '@mailhook/core';
import { createDestinationControl } from '@mailhook/delivery';
import {
  createDestinationLists,
  createFindDestination,
  createOverview,
  createReadDestinations,
} from '@mailhook/insight';
import { parseOrThrow, startOperationsServer } from '@mailhook/platform/http-server';
import type { OperationsServerOptions } from '@mailhook/platform/http-server';
import type { Owned } from '@mailhook/platform/lifecycle';
import type { Express, RequestHandler, Response } from 'express';
import { extendOperations } from '../app.ts';
import { originOf } from '../audit/audit-requests.ts';
import { operatorOf } from '../auth/admin-tokens.ts';
import { pageHost } from './pages.ts';
import type { Config } from '../config.ts';
import type { AdminServices } from '../endpoints/admin/endpoint.ts';
import { translateError } from '../http/errors.ts';
import { createAccessTokens } from '../operations/access-tokens.ts';
import { createAccountChanges } from '../operations/account-changes.ts';
import { createAccountsOverview } from '../operations/accounts-overview.ts';
import { createBoard } from '../operations/board.ts';
import { createDestinationActions } from '../operations/destination-actions.ts';
import { apiFindings } from '../operations/findings.ts';
import { intakeReport } from '../operations/installation.ts';
import type { InstallationDeps } from '../operations/installation.ts';
import { createReadOperations } from '../operations/operations-overview.ts';
import { createPortal } from '../operations/portal.ts';
import { createProducerTokens } from '../operations/producer-tokens.ts';
import type { Protection } from '../auth/protection.ts';
import type { ApiData, OpenedAccounts, Records } from './parts.ts';

export interface OperationsParts {
  readonly data: ApiData;
  readonly opened: OpenedAccounts;
  readonly protection: Protection;
  readonly records: Records;
  readonly health: Pick<OperationsServerOptions, 'isReady' | 'hopeless'> & Pick<InstallationDeps, 'intake'>;
  /** Adds the overview, the runbook and the document of the admin API. */
  readonly pagesOf: (overview: Omit<OverviewPageDeps, 'assets'>) => (app: Express, basicAuth: RequestHandler) => void;
  readonly publicPort: () => number;
}

/** Starts the operations port: health, metrics, the admin API, the overview page and Bull Board. */
export async function startOperations(
  config: Config,
  parts: OperationsParts,
  owned: Owned,
): Promise<{ readonly port: number }> {
  const { bodies, attempts, authenticate, security } = parts.protection;
  const { audit, logger, metrics } = parts.records;
  const { installation } = parts.data;
  const board = owned(await createBoard(installation, config.BULL_BOARD_READ_ONLY));
  const readings = createReadings(config, parts);
  const actions = createActions(parts);
  const overview = {
    ...pageHost(parts.records, parts.protection, undefined),
    originOf: (response: Response) => ({ ...operatorOf(response), ...originOf(response) }),
    readings,
    actions: checkedActions(actions),
    notices: createNotices(installation),
  };
  return owned(
    await startOperationsServer({
      host: config.OPS_HOST ?? config.HOST,
      port: config.OPS_PORT,
      metrics,
      logger,
      ...parts.health,
      extend: extendOperations({
        access: { authenticate, adminTokens: parts.opened.adminTokens, attempts, security },
        services: createAdminServices(config, parts, readings, actions),
        audit,
        board,
        bodies,
        addPages: parts.pagesOf(overview),
      }),
      translate: translateError,
      onProblem: security.noteRefusal,
    }),
  );
}

/** The data of the engine and of the accounts for operators. */
function createReadings(config: Config, { data, health }: OperationsParts) {
  const { installation, store, usages, deadLetters } = data;
  const accounts = createAccountsOverview({
    store,
    findDestination: createFindDestination(installation),
    usages,
    readDestinations: createReadDestinations(installation),
    limits: { events: config.WAITING_MAX_EVENTS, bytes: config.WAITING_MAX_BYTES },
  });
  const overview = createOverview(installation);
  return {
    accounts,
    overview,
    ownFindings: async () => {
      const notReady = await health.isReady().catch(() => []);
      return apiFindings({ notReady, intake: intakeReport(health.intake) });
    },
    isHttpsOnly: config.HTTPS_ONLY_DESTINATIONS,
    readOperations: createReadOperations({ installation, ...health, accounts, deadLetters, overview }),
    lists: createDestinationLists(installation),
  };
}

/** What operators do, with checked input. */
function createActions({ data: { installation, deadLetters, discard }, records: { logger } }: OperationsParts) {
  return {
    destinations: createDestinationActions({
      find: createFindDestination(installation),
      control: createDestinationControl(installation),
      logger,
      now: () => Date.now(),
    }),
    deadLetters,
    discard,
  };
}

function createAdminServices(
  config: Config,
  { data, opened, records, publicPort }: OperationsParts,
  { accounts, readOperations, lists }: ReturnType<typeof createReadings>,
  { destinations, deadLetters, discard }: ReturnType<typeof createActions>,
): AdminServices {
  const { store } = data;
  const { deletions, erasures, links, sessions } = opened;
  const { routing, tokens, producerTokens, tokenUses, bus } = opened.accounts;
  const { audit, logger } = records;
  return {
    accounts,
    accountChanges: createAccountChanges({ store, routing, deletions, erasures }),
    tokens: createAccessTokens({ store, tokens, tokenUses, bus }),
    producerTokens: createProducerTokens({ store, producerTokens, tokenUses, bus }),
    portal: createPortal({ store, links, sessions, publicUrl: config.PUBLIC_URL, publicPort, logger }),
    audit,
    readOperations,
    lists,
    destinations,
    deadLetters,
    discard,
  };
}

/** The same actions for the overview page, which passes on what operators have typed. */
const checkedActions = ({
  destinations,
  deadLetters,
  discard,
}: ReturnType<typeof createActions>): OverviewPageDeps['actions'] => ({
  destinations: {
    ...destinations,
    pause: async (id, input) => destinations.pause(id, parseOrThrow(operatorPauseInput, input)),
    drop: async (id, input) => destinations.drop(id, parseOrThrow(dropInput, input)),
  },
  deadLetters,
  discard: async (input) => discard(parseOrThrow(discardInput, input)),
});
