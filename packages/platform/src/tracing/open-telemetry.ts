import { hostname } from 'node:os';
import type { TraceContext } from '@mailhook/core';
import { parseTraceparent } from '@mailhook/core';
import type { Context, SpanContext, Span as OtelSpan } from '@opentelemetry/api';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import { AlwaysOnSampler, BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { ExportReport } from './export-report.ts';
import type { Span, SpanEnd, Tracing, TracingOptions } from './tracing.ts';

/** How long `close` waits for the collector to take the last spans. */
const FLUSH_MS = 1500;

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
  const url = tracesUrl(options.endpoint);
  const report = new ExportReport(url, options.logger);
  const exporter = reporting(new OTLPTraceExporter({ url }), report);
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
    close: async () => {
      if (!(await isWithinFlushTime(provider.shutdown())))
        report.fail(new Error('no answer before the service stopped'));
      report.close();
    },
  };
}

/** The path that the OTLP specification defines for a base URL of all signals. */
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

/** Reports lost spans, because the SDK drops them silently. */
const reporting = (exporter: SpanExporter, report: ExportReport): SpanExporter => ({
  export(spans, done) {
    exporter.export(spans, (result) => {
      if (result.error === undefined) report.succeed();
      else report.fail(result.error, spans.length);
      done(result);
    });
  },
  forceFlush: async () => exporter.forceFlush?.(),
  shutdown: () => exporter.shutdown(),
});

/** False if the work takes longer than `FLUSH_MS`. */
async function isWithinFlushTime(work: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), FLUSH_MS);
  });
  // The exporter has already reported a failure.
  const inTime = await Promise.race([
    work.then(
      () => true,
      () => true,
    ),
    late,
  ]);
  clearTimeout(timer);
  return inTime;
}
