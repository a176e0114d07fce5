import type { Tracing, TracingOptions } from './tracing.ts';

/**
 * Opens tracing where an endpoint is set; undefined where none is, and then nothing of OpenTelemetry is even loaded.
 *
 * Spans wait in a queue of bounded length and leave in the background: a collector that is away or slow costs spans, and nothing else.
 */
export async function openTracing(options: TracingOptions): Promise<Tracing | undefined> {
  const { endpoint } = options;
  if (endpoint === undefined) return undefined;
  const { startOpenTelemetry } = await import('./open-telemetry.ts');
  return startOpenTelemetry({ ...options, endpoint });
}
