import { eventually } from './eventually.ts';
import { startReceiver } from './receiver.ts';
import type { FakeReceiver } from './receiver.ts';

/** A span as it was exported. */
export interface CollectedSpan {
  /** `service.name` of the resource. */
  readonly service: string;
  readonly resource: SpanAttributes;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer' | 'unknown';
  readonly traceId: string;
  readonly spanId: string;
  /** Empty if the span begins a trace. */
  readonly parentSpanId: string;
  /** The spans it is linked to. */
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly attributes: SpanAttributes;
  /** The message of a failed span. Undefined if it did not fail. */
  readonly error: string | undefined;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

type SpanAttributes = Readonly<Record<string, unknown>>;

/** A trace collector that accepts OpenTelemetry exports over HTTP as JSON. */
export interface FakeCollector {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  /** The spans exported so far, in the order of arrival. */
  readonly spans: readonly CollectedSpan[];
  /** The receiver of the exports, for their raw requests and for faults on demand. */
  readonly receiver: FakeReceiver;
  /** Resolves with all spans that fit, as soon as there are at least `count`. */
  waitForSpans(
    count: number,
    fits: (span: CollectedSpan) => boolean,
    withinMs?: number,
  ): Promise<readonly CollectedSpan[]>;
  close(): Promise<void>;
}

export async function startCollector(): Promise<FakeCollector> {
  const receiver = await startReceiver({ reply: () => ({ json: {} }) });
  const spans = (): CollectedSpan[] =>
    receiver.requests.filter(({ path }) => path === '/v1/traces').flatMap(({ json }) => readExport(json as Export));
  return {
    url: receiver.url,
    receiver,
    get spans() {
      return spans();
    },
    waitForSpans: (count, fits, withinMs = 10_000) =>
      eventually(
        () => {
          const fitting = spans().filter(fits);
          return fitting.length >= count && fitting;
        },
        { withinMs, what: `${count} spans at the collector` },
      ),
    close: () => receiver.close(),
  };
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** The part of OTLP's JSON that the tests read. */
interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly ExportedSpan[] }[];
  }[];
}

interface ExportedSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly attributes?: readonly Attribute[];
  readonly status?: { readonly code?: number; readonly message?: string };
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

const KINDS = ['unknown', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const FAILED = 2;

const readExport = ({ resourceSpans }: Export): CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const attributes = readAttributes(resource.attributes);
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => readSpan(span, attributes)));
  });

function readSpan(span: ExportedSpan, resource: SpanAttributes): CollectedSpan {
  const { name, traceId, spanId, parentSpanId = '', links = [], status } = span;
  return {
    service: String(resource['service.name']),
    resource,
    name,
    kind: KINDS[span.kind] ?? 'unknown',
    traceId,
    spanId,
    parentSpanId,
    links: links.map((link) => ({ traceId: link.traceId, spanId: link.spanId })),
    attributes: readAttributes(span.attributes ?? []),
    error: status?.code === FAILED ? (status.message ?? '') : undefined,
    startedAtMs: toMs(span.startTimeUnixNano),
    endedAtMs: toMs(span.endTimeUnixNano),
  };
}

/** Rounds to microseconds, because a number of this size is not exact below that. */
const toMs = (nanos: string): number => Math.round(Number(nanos) / 1e3) / 1e3;

/** OTLP wraps each value in an object with one field, which is named after the type. */
const readAttributes = (attributes: readonly Attribute[]): SpanAttributes =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
