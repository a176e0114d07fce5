import type { TraceContext } from '@mailhook/core';
import type { Logger } from '../logger/index.ts';

/** The tracing interface of Mailhook. No other code depends on the tracing library. */
export interface Tracing {
  /** Starts a span, now or at `startedAtMs`. Never throws, and never waits for the collector. */
  start(name: string, options: SpanOptions): Span;
  /** Sends the remaining spans for at most 1.5 s, then drops them. Never rejects. */
  close(): Promise<void>;
}

export interface TracingOptions {
  /** `OTEL_EXPORTER_OTLP_ENDPOINT`, the collector's base URL (OTLP over HTTP, JSON). Undefined means no tracing. */
  readonly endpoint: string | undefined;
  /** `OTEL_SDK_DISABLED`. `true` means no tracing. */
  readonly disabled: string;
  /** The service's name, unless `OTEL_SERVICE_NAME` sets another one. */
  readonly service: string;
  readonly version: string;
  /**
   * The spans to record. `environment` lets `OTEL_TRACES_SAMPLER` choose traces. `all` records every span, for a
   * service that opens spans only for traces that were sampled where they began.
   */
  readonly sampled: 'environment' | 'all';
  /** Gets a warning when exports begin to fail, and a line when they work again. */
  readonly logger: Pick<Logger, 'warn' | 'info'>;
}

export interface SpanOptions {
  /** `server` answers a request, `client` makes one, `producer` enqueues work, and `consumer` does enqueued work. */
  readonly kind: 'server' | 'client' | 'producer' | 'consumer';
  /** The parent span, of this process or another. Without a parent, the span begins a trace. */
  readonly parent?: TraceContext | undefined;
  /** Related spans of other traces. */
  readonly links?: readonly TraceContext[];
  readonly attributes?: SpanAttributes;
  /** Unix milliseconds. */
  readonly startedAtMs?: number;
}

/** Must not contain recipient data. Undefined values are left out. */
type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Span {
  /** The context for child spans, in this process or after a queue. */
  readonly context: TraceContext;
  /** Ends the span, now or at `endedAtMs`. */
  end(end?: SpanEnd): void;
}

export interface SpanEnd {
  /** A better name, if it is known only at the end. */
  readonly name?: string;
  readonly attributes?: SpanAttributes;
  /** Why the work failed. Undefined if it succeeded. */
  readonly error?: string | undefined;
  /** Unix milliseconds. */
  readonly endedAtMs?: number;
}
