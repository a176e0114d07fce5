import type { RequestHandler, Router } from 'express';
import { addRoute } from '@mailhook/platform/http-server';
import type { Endpoint, Method } from './endpoint.ts';

const METHODS: readonly Method[] = ['get', 'post', 'put', 'delete'];

/**
 * Adds the routes of endpoints in any order. Every other method of their paths gets a 405. `before` is what runs before
 * an endpoint: sign-in, audit log, the reading of the body.
 */
export function addEndpoints<Services, Scope extends string>(
  router: Router,
  endpoints: readonly Endpoint<Services, Scope>[],
  services: Services,
  before: (endpoint: Endpoint<Services, Scope>) => readonly RequestHandler[],
): void {
  const handlersOf = (endpoint: Endpoint<Services, Scope>): readonly RequestHandler[] => [
    ...before(endpoint),
    (request, response) => endpoint.run(request, response, services),
  ];
  const paths = [...new Set(endpoints.map(({ path }) => path))];
  // A fixed name wins over a parameter in its place.
  const places = paths.map((path) => ({ path, order: path.replaceAll(/:\w+/g, '\uffff') }));
  for (const { path } of places.sort((a, b) => (a.order < b.order ? -1 : 1))) {
    const here = METHODS.flatMap((method) => endpoints.filter((one) => one.path === path && one.method === method));
    addRoute(router, path, Object.fromEntries(here.map((one) => [one.method, handlersOf(one)])));
  }
}
