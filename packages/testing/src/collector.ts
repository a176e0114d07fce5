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
  /** '' where it begins a trace. */
  readonly parentSpanId: string;
  /** The spans it is linked to. */
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly attributes: SpanAttributes;
  /** Why it failed; undefined: it did not. */
  readonly error: string | undefined;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

type SpanAttributes = Readonly<Record<string, unknown>>;

/** A collector of traces: takes what OpenTelemetry exports over HTTP as JSON. */
export interface FakeCollector {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  /** What was exported until now, in the order of arrival. */
  readonly spans: readonly CollectedSpan[];
  /** The requests themselves, and faults on demand. */
  readonly receiver: FakeReceiver;
  /** Resolves with the spans that fit as soon as there are `count` of them. */
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

/** What these tests read of OTLP's JSON. */
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

/** To the microsecond, below which a number of this size is not exact. */
const toMs = (nanos: string): number => Math.round(Number(nanos) / 1e3) / 1e3;

/** A value is an object of one field, named by its type. */
const readAttributes = (attributes: readonly Attribute[]): SpanAttributes =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
