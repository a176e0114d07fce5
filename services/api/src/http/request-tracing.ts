import type { TraceContext } from '@mailhook/core';
import { parseTraceparent } from '@mailhook/core';
import type { Span, Tracing } from '@mailhook/platform/tracing';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** The spans of open requests. */
export interface RequestTracing {
  readonly tracing: Tracing;
  /** Begins the span of a request, in its client's trace if the request has a `traceparent`. */
  begin(request: IncomingMessage, response: ServerResponse): Span;
  /** The trace context of the request that this response answers. */
  contextOf(response: ServerResponse): TraceContext | undefined;
}

export function createRequestTracing(tracing: Tracing): RequestTracing {
  const contexts = new WeakMap<ServerResponse, TraceContext>();
  return {
    tracing,
    begin(request, response) {
      const parent = parseTraceparent(String(request.headers['traceparent'] ?? ''));
      const span = tracing.start('request', { kind: 'server', parent });
      contexts.set(response, span.context);
      return span;
    },
    contextOf: (response) => contexts.get(response),
  };
}
