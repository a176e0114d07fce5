import type { TraceContext } from '@mailhook/core';
import { parseTraceparent } from '@mailhook/core';
import type { Span, Tracing } from '@mailhook/platform/tracing';
import type { Request, Response } from 'express';

/** The spans of requests under way. */
export interface RequestTracing {
  readonly tracing: Tracing;
  /** Begins the span of a request, in its client's trace where it names one (`traceparent`). */
  begin(request: Request, response: Response): Span;
  /** Where the span of this answer's request stands. */
  contextOf(response: Response): TraceContext | undefined;
}

export function createRequestTracing(tracing: Tracing): RequestTracing {
  const contexts = new WeakMap<Response, TraceContext>();
  return {
    tracing,
    begin(request, response) {
      const parent = parseTraceparent(request.get('traceparent') ?? '');
      const span = tracing.start('request', { kind: 'server', parent });
      contexts.set(response, span.context);
      return span;
    },
    contextOf: (response) => contexts.get(response),
  };
}
