import type { Tracing, TracingOptions } from './tracing.ts';

/**
 * Opens tracing if an endpoint is set. Otherwise returns undefined and does not even load OpenTelemetry.
 *
 * Spans wait in a bounded queue and are sent in the background. So an unavailable or slow collector costs only spans.
 */
export async function openTracing(options: TracingOptions): Promise<Tracing | undefined> {
  const { endpoint } = options;
  if (endpoint === undefined) return undefined;
  const { startOpenTelemetry } = await import('./open-telemetry.ts');
  return startOpenTelemetry({ ...options, endpoint });
}
