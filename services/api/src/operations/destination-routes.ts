import type { RequestHandler, Router } from 'express';
import { destinationsQuery } from '@mailhook/core';
import type { DestinationView } from '@mailhook/core';
import type { DestinationLists } from '@mailhook/insight';
import { addRoute, parseOrThrow, pathParameter } from '@mailhook/platform/http-server';
import type { DestinationActions } from './destination-actions.ts';
import type { ReadOperations } from './operations-overview.ts';

export interface DestinationRoutesDeps {
  readonly readOperations: ReadOperations;
  readonly lists: DestinationLists;
  readonly actions: DestinationActions;
}

/** The part of the admin API that shows stuck destinations and acts on them. The overview page offers the same. */
export function addDestinationRoutes(
  router: Router,
  before: readonly RequestHandler[],
  { readOperations, lists, actions }: DestinationRoutesDeps,
): void {
  const one = '/admin/destinations/:destination';
  const action = (status: number, run: (id: string, body: unknown) => Promise<DestinationView>): RequestHandler[] => [
    ...before,
    async (request, response) => {
      response.status(status).json(await run(pathParameter(request, 'destination'), request.body));
    },
  ];
  addRoute(router, '/admin/overview', {
    get: [...before, async (_request, response) => void response.json((await readOperations()).report)],
  });
  addRoute(router, '/admin/destinations', {
    get: [
      ...before,
      async (request, response) => {
        const { state, ...page } = parseOrThrow(destinationsQuery, request.query);
        response.json(await lists.list(state, page));
      },
    ],
  });
  addRoute(router, one, { get: action(200, actions.find) });
  addRoute(router, `${one}/pause`, { post: action(200, actions.pause) });
  addRoute(router, `${one}/resume`, { post: action(200, actions.resume) });
  // A worker carries out these actions later, so the answer is 202.
  addRoute(router, `${one}/probe`, { post: action(202, actions.probe) });
  addRoute(router, `${one}/send-now`, { post: action(202, actions.sendNow) });
  addRoute(router, `${one}/drop`, { post: action(202, actions.drop) });
}
