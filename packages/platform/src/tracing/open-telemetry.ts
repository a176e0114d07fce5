import { hostname } from 'node:os';
import type { TraceContext } from '@mailhook/core';
import { parseTraceparent } from '@mailhook/core';
import type { Context, SpanContext, Span as OtelSpan } from '@opentelemetry/api';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import { AlwaysOnSampler, BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Span, SpanEnd, Tracing, TracingOptions } from './tracing.ts';

/** How long `close` waits for the collector to take the last spans. */
const FLUSH_MS = 1500;
const COMPLAINT_EVERY_MS = 60_000;

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/**
 * Starts OpenTelemetry's SDK, without registering it globally. The SDK reads its own `OTEL_*` variables: the sampler,
 * the limits of spans and of the span queue, the exporter's headers, certificates and timeout, and the resource.
 */
export function startOpenTelemetry(options: TracingOptions & { readonly endpoint: string }): Tracing {
  const exporter = reporting(new OTLPTraceExporter({ url: tracesUrl(options.endpoint) }), options.logger);
  const provider = new BasicTracerProvider({
    resource: resourceOf(options),
    spanProcessors: [new BatchSpanProcessor(exporter)],
    ...(options.sampled === 'all' ? { sampler: new AlwaysOnSampler() } : {}),
  });
  const tracer = provider.getTracer('mailhook', options.version);
  return {
    start(name, { kind, parent, links = [], attributes = {}, startedAtMs }) {
      const span = tracer.startSpan(
        name,
        {
          kind: KINDS[kind],
          attributes,
          links: links.map((context) => ({ context: spanContextOf(context) })),
          ...(startedAtMs === undefined ? {} : { startTime: startedAtMs }),
        },
        parentContext(parent),
      );
      return ours(span);
    },
    close: () => withinFlushTime(provider.shutdown()),
  };
}

/** The path that the OTLP specification defines for a base endpoint of all signals. */
const tracesUrl = (endpoint: string): string => `${endpoint}${endpoint.endsWith('/') ? '' : '/'}v1/traces`;

/** Resource attributes of the environment (`OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`) override Mailhook's own. */
const resourceOf = ({ service, version }: TracingOptions) =>
  resourceFromAttributes({ 'service.name': service, 'service.version': version, 'host.name': hostname() }).merge(
    detectResources({ detectors: [envDetector] }),
  );

function ours(span: OtelSpan): Span {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    context: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    end({ name, attributes, error, endedAtMs }: SpanEnd = {}) {
      if (name !== undefined) span.updateName(name);
      if (attributes !== undefined) span.setAttributes(attributes);
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
      span.end(endedAtMs);
    },
  };
}

const parentContext = (parent: TraceContext | undefined): Context =>
  parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, spanContextOf(parent));

function spanContextOf(context: TraceContext): SpanContext {
  const [, traceId = '', spanId = '', flags = ''] = (parseTraceparent(context) ?? '').split('-');
  return { traceId, spanId, traceFlags: parseInt(flags, 16) || 0, isRemote: true };
}

/** Logs lost spans, because the SDK drops them silently. */
function reporting(exporter: SpanExporter, logger: TracingOptions['logger']): SpanExporter {
  let lost = 0;
  let saidMs = Number.NEGATIVE_INFINITY;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.error !== undefined) {
          lost += spans.length;
          if (performance.now() - saidMs >= COMPLAINT_EVERY_MS) {
            saidMs = performance.now();
            logger.warn('the collector did not accept spans', { spans: lost, error: result.error.message });
            lost = 0;
          }
        }
        done(result);
      });
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

async function withinFlushTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, FLUSH_MS);
  });
  // The exporter has already reported a failure.
  await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
}
