import { traceIdOf } from '@mailhook/core';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '@mailhook/platform/logger';
import type { Metrics } from '@mailhook/platform/metrics';
import type { Span } from '@mailhook/platform/tracing';
import type { RequestTracing } from './request-tracing.ts';

interface RequestObserverDeps {
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly requests?: RequestTracing | undefined;
}

/**
 * Starts to observe a request, before any other step. `route` names the route of a request that Express never sees.
 * Express names the others.
 */
export type ObserveRequest = (request: IncomingMessage, response: ServerResponse, route?: string) => void;

/** Measures every request, writes its span, and logs one line at debug level. */
export function createRequestObserver({ metrics, logger, requests }: RequestObserverDeps): ObserveRequest {
  const durations = metrics.histogram({
    name: 'mailhook_http_request_duration_seconds',
    help: 'Time from a request to the end of its answer, by route.',
    labels: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 6],
  });
  // prom-client sorts and joins the labels at every observation, so keep the few series by key.
  const series = new Map<string, ReturnType<typeof durations.labels>>();
  const seriesOf = (method: string, route: string, status: number): ReturnType<typeof durations.labels> => {
    const key = `${method} ${status} ${route}`;
    let found = series.get(key);
    if (found === undefined) series.set(key, (found = durations.labels({ method, route, status })));
    return found;
  };
  return (request, response, known) => {
    const startedMs = performance.now();
    requests?.begin(response);
    response.once('close', () => {
      const span = requests?.spanOf(response);
      const seconds = (performance.now() - startedMs) / 1000;
      const { statusCode: status } = response;
      const [method, route] = [methodOf(request), known ?? routeOf(request)];
      if (span !== undefined) endSpan(span, { method, route }, response);
      seriesOf(method, route, status).observe(seconds);
      if (!logger.isDebugEnabled()) return;
      const requestId = response.getHeader('x-request-id');
      logger.debug('request', {
        requestId,
        method: request.method,
        path: request.url?.split('?', 1)[0],
        status,
        durationMs: Math.round(seconds * 1e4) / 10,
        ...(span === undefined ? {} : { traceId: traceIdOf(span.context) }),
      });
    });
  };
}

/** Names the span by its route, never by its path, which may contain an id. */
function endSpan(span: Span, { method, route }: { method: string; route: string }, response: ServerResponse): void {
  const { statusCode: status, writableFinished: isWhole } = response;
  const requestId = response.getHeader('x-request-id');
  span.end({
    name: route === 'none' ? method : `${method} ${route}`,
    attributes: {
      'http.request.method': method,
      'http.route': route === 'none' ? undefined : route,
      'http.response.status_code': status,
      'mailhook.request_id': typeof requestId === 'string' ? requestId : undefined,
    },
    error: status >= 500 ? `HTTP ${status}` : isWhole ? undefined : 'the client did not wait for the whole answer',
  });
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']);

/** Maps unknown methods to one label value, because clients must not create new series. */
const methodOf = ({ method = '' }: IncomingMessage): string => (METHODS.has(method) ? method : 'other');

const routeOf = (request: IncomingMessage & { readonly route?: unknown }): string => {
  const { route } = request;
  const path = typeof route === 'object' && route !== null && 'path' in route ? route.path : undefined;
  return typeof path === 'string' ? path : 'none';
};
