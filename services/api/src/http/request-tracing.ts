import type { TraceContext } from '@mailhook/core';
import { parseTraceparent } from '@mailhook/core';
import type { Span, Tracing } from '@mailhook/platform/tracing';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** The spans of open requests. */
export interface RequestTracing {
  readonly tracing: Tracing;
  /** Begins the span of a request, in a trace of its own. Strangers must decide neither trace ids nor sampling. */
  begin(response: ServerResponse): void;
  /**
   * Begins the span anew in its client's trace, if the request has a `traceparent`. The caller has authenticated a
   * producer.
   */
  readonly join: (request: IncomingMessage, response: ServerResponse) => void;
  /** The span of the request that this response answers. */
  spanOf(response: ServerResponse): Span | undefined;
  contextOf(response: ServerResponse): TraceContext | undefined;
}

export function createRequestTracing(tracing: Tracing): RequestTracing {
  const spans = new WeakMap<ServerResponse, Span>();
  const start = (response: ServerResponse, parent?: TraceContext): void => {
    spans.set(response, tracing.start('request', { kind: 'server', parent }));
  };
  return {
    tracing,
    begin: (response) => start(response),
    join: (request, response) => {
      const parent = parseTraceparent(String(request.headers['traceparent'] ?? ''));
      // The span before was never ended, so nothing exports it.
      if (parent !== undefined) start(response, parent);
    },
    spanOf: (response) => spans.get(response),
    contextOf: (response) => spans.get(response)?.context,
  };
}
