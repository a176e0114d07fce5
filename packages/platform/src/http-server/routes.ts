import type { Request, RequestHandler, Router } from 'express';
import { ProblemError } from './problem.ts';

type Method = 'get' | 'post' | 'put' | 'delete';

/** Adds the handlers of one path by method. Every other method gets a 405 that names the allowed methods. */
export function addRoute(
  router: Router,
  path: string | string[],
  handlers: Partial<Record<Method, readonly RequestHandler[]>>,
): void {
  const route = router.route(path);
  const methods = Object.entries(handlers) as [Method, readonly RequestHandler[]][];
  for (const [method, list] of methods) route[method](...list);
  const names = methods.map(([method]) => method.toUpperCase());
  const allow = (names.includes('GET') ? [...names, 'HEAD'] : names).join(', ');
  route.all((request) => {
    throw new ProblemError('method_not_allowed', {
      detail: `${request.method} is not possible here; allowed: ${allow}.`,
      headers: { allow },
    });
  });
}

/** A decoded parameter of the route's path, or '' if the path does not have it. */
export function pathParameter(request: Request, name: string): string {
  const value = request.params[name];
  return typeof value === 'string' ? value : '';
}
