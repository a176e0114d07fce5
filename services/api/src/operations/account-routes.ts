import type { RequestHandler, Router } from 'express';
import { operatorSearchQuery } from '@mailhook/core';
import { addRoute, parseOrThrow, pathParameter } from '@mailhook/platform/http-server';
import type { AccountsOverview } from './accounts-overview.ts';

/** The part of the admin API that finds accounts and destinations, and shows what an account keeps. */
export function addAccountRoutes(
  router: Router,
  before: readonly RequestHandler[],
  { accounts }: { readonly accounts: AccountsOverview },
): void {
  addRoute(router, '/admin/accounts/:account', {
    get: [
      ...before,
      async (request, response) => void response.json(await accounts.find(pathParameter(request, 'account'))),
    ],
  });
  addRoute(router, '/admin/search', {
    get: [
      ...before,
      async (request, response) => {
        const { text } = parseOrThrow(operatorSearchQuery, request.query);
        response.json(await accounts.search(text));
      },
    ],
  });
}
