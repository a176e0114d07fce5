import type { Tracing, TracingOptions } from './tracing.ts';

/**
 * Opens tracing if an endpoint is set and OTEL_SDK_DISABLED is not true. Otherwise returns undefined and does not even
 * load OpenTelemetry.
 *
 * Spans wait in a bounded queue and are sent in the background. So an unavailable or slow collector costs only spans.
 */
export async function openTracing(options: TracingOptions): Promise<Tracing | undefined> {
  const { endpoint } = options;
  if (endpoint === undefined || isDisabled(options)) return undefined;
  const { startOpenTelemetry } = await import('./open-telemetry.ts');
  return startOpenTelemetry({ ...options, endpoint });
}

/** As OpenTelemetry defines a boolean variable: only `true` is true, and other words get a warning. */
function isDisabled({ disabled, logger }: TracingOptions): boolean {
  const word = disabled.trim().toLowerCase();
  if (!['true', 'false', ''].includes(word)) {
    logger.warn('OTEL_SDK_DISABLED is neither true nor false, and counts as false', { value: disabled });
  }
  return word === 'true';
}
