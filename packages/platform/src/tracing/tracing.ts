import type { TraceContext } from '@mailhook/core';
import type { Logger } from '../logger/index.ts';

/** What the rest of Mailhook knows of tracing: neither core nor the engine knows whose library writes the spans. */
export interface Tracing {
  /** Starts a span, now or at `startedAtMs`. Never throws, and never waits for the collector. */
  start(name: string, options: SpanOptions): Span;
  /** Writes what is not written yet, for at most 1.5 s; then it is given up. Never rejects. */
  close(): Promise<void>;
}

export interface TracingOptions {
  /** `OTEL_EXPORTER_OTLP_ENDPOINT`: the collector's base URL (OTLP over HTTP, JSON). Absent: there is no tracing. */
  readonly endpoint: string | undefined;
  /** The service's name, where `OTEL_SERVICE_NAME` gives it no other. */
  readonly service: string;
  readonly version: string;
  /**
   * Which traces are written. `environment`: those that `OTEL_TRACES_SAMPLER` chooses. `all`: every span, for a service whose spans follow a
   * choice that was made where the trace began.
   */
  readonly sampled: 'environment' | 'all';
  /** Told, at most once a minute, of spans that no collector took. */
  readonly logger: Pick<Logger, 'warn'>;
}

export interface SpanOptions {
  /** Who takes part: `server` answers a request, `client` makes one, `producer` leaves work for later, `consumer` does such work. */
  readonly kind: 'server' | 'client' | 'producer' | 'consumer';
  /** The span it is a part of, of this process or another; absent: it begins a trace. */
  readonly parent?: TraceContext | undefined;
  /** Spans of other traces that it has to do with. */
  readonly links?: readonly TraceContext[];
  readonly attributes?: SpanAttributes;
  /** Unix milliseconds. */
  readonly startedAtMs?: number;
}

/** Never recipients' data; what is undefined is left out. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Span {
  /** Where it stands, for its parts, here or behind the queue. */
  readonly context: TraceContext;
  /** Ends it, now or at `endedAtMs`. */
  end(end?: SpanEnd): void;
}

export interface SpanEnd {
  /** Where only the end tells what it was. */
  readonly name?: string;
  readonly attributes?: SpanAttributes;
  /** Why it failed; absent: it did not. */
  readonly error?: string | undefined;
  /** Unix milliseconds. */
  readonly endedAtMs?: number;
}
