import type { RequestHandler, Router } from 'express';
import { z } from 'zod';
import {
  accountIdInput,
  accountInput,
  accountsQuery,
  erasureInput,
  operatorSearchQuery,
  StoreConflictError,
} from '@mailhook/core';
import type { Store } from '@mailhook/core';
import { addRoute, parseOrThrow, pathParameter, ProblemError } from '@mailhook/platform/http-server';
import { ID_BLOCKED_MS } from '../accounts/deletions.ts';
import { putAccount } from '../accounts/change-account.ts';
import type { Deletions } from '../accounts/deletions.ts';
import type { Erasures } from '../accounts/erasures.ts';
import type { RoutingTable } from '../accounts/routing-table.ts';
import { newId } from '../accounts/tokens.ts';
import { unknownAccount } from './accounts-overview.ts';
import { noteUnchanged } from '../audit/audit-requests.ts';
import type { AccountsOverview } from './accounts-overview.ts';

export interface AccountRoutesDeps {
  readonly accounts: AccountsOverview;
  readonly store: Store;
  readonly routing: Pick<RoutingTable, 'invalidate'>;
  readonly deletions: Pick<Deletions, 'start' | 'progress'>;
  readonly erasures: Pick<Erasures, 'start' | 'find'>;
}

const accountPath = z.object({ account: accountIdInput });

/** The part of the admin API for accounts: creates, lists, finds and deletes them. */
export function addAccountRoutes(router: Router, before: readonly RequestHandler[], deps: AccountRoutesDeps): void {
  const { accounts, store, routing, deletions } = deps;
  const create: RequestHandler = async (request, response) => {
    const { name } = parseOrThrow(accountInput, request.body);
    const account = { id: `acc_${newId()}`, name };
    await putAccount(store, account);
    // An earlier lookup of this id may have cached that the account does not exist.
    routing.invalidate(account.id);
    response.status(201).json(account);
  };
  const put: RequestHandler = async (request, response) => {
    const { account: id } = parseOrThrow(accountPath, { account: pathParameter(request, 'account') });
    const { name } = parseOrThrow(accountInput, request.body);
    const { account, outcome } = await putOrExplain(deps, { id, name });
    routing.invalidate(id);
    if (outcome === 'unchanged') noteUnchanged(response);
    response.status(outcome === 'created' ? 201 : 200).json({ id, name, createdAt: account.createdAt });
  };
  const list: RequestHandler = async (request, response) => {
    response.json(await accounts.list(parseOrThrow(accountsQuery, request.query)));
  };
  const get: RequestHandler = async (request, response) => {
    response.json(await accounts.find(pathParameter(request, 'account')));
  };
  const remove: RequestHandler = async (request, response) => {
    const progress = await deletions.start(pathParameter(request, 'account'));
    if (progress === undefined) throw unknownAccount();
    response.status(202).json(progress);
  };
  const showDeletion: RequestHandler = async (request, response) => {
    const progress = await deletions.progress(pathParameter(request, 'account'));
    if (progress === undefined)
      throw new ProblemError('not_found', { detail: 'No account with this id was deleted lately.' });
    response.json(progress);
  };
  const search: RequestHandler = async (request, response) => {
    response.json(await accounts.search(parseOrThrow(operatorSearchQuery, request.query).text));
  };
  const one = '/admin/accounts/:account';
  addRoute(router, '/admin/accounts', { get: [...before, list], post: [...before, create] });
  addRoute(router, one, { get: [...before, get], put: [...before, put], delete: [...before, remove] });
  addRoute(router, `${one}/deletion`, { get: [...before, showDeletion] });
  addErasureRoutes(router, before, deps);
  addRoute(router, '/admin/search', { get: [...before, search] });
}

function addErasureRoutes(
  router: Router,
  before: readonly RequestHandler[],
  { erasures }: Pick<AccountRoutesDeps, 'erasures'>,
): void {
  const start: RequestHandler = async (request, response) => {
    const wanted = parseOrThrow(erasureInput, request.body);
    const erasure = await erasures.start(pathParameter(request, 'account'), wanted);
    if (erasure === undefined) throw unknownAccount();
    response.status(202).json(erasure);
  };
  const show: RequestHandler = async (request, response) => {
    const erasure = await erasures.find(pathParameter(request, 'account'), pathParameter(request, 'erasure'));
    if (erasure === undefined)
      throw new ProblemError('not_found', { detail: 'This account has no erasure with this id in the last 7 days.' });
    response.json(erasure);
  };
  const path = '/admin/accounts/:account/erasures';
  addRoute(router, path, { post: [...before, start] });
  addRoute(router, `${path}/:erasure`, { get: [...before, show] });
}

async function putOrExplain(
  { store, deletions }: AccountRoutesDeps,
  account: { readonly id: string; readonly name: string },
) {
  try {
    return await putAccount(store, account);
  } catch (error) {
    const deletion = error instanceof StoreConflictError ? await deletions.progress(account.id) : undefined;
    if (deletion === undefined) throw error;
    const { finishedAt } = deletion;
    const until = finishedAt === null ? undefined : new Date(Date.parse(finishedAt) + ID_BLOCKED_MS).toISOString();
    throw new ProblemError('conflict', {
      detail:
        until === undefined
          ? 'The account with this id is being deleted. Its id can be used again a week after the deletion has finished.'
          : `The account with this id was deleted. Its id can be used again from ${until}, when late events of the old account can no longer arrive.`,
    });
  }
}
