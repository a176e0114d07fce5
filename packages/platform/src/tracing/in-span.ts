import type { TraceContext } from '@mailhook/core';
import { maskText } from '../logger/index.ts';
import type { SpanOptions, Tracing } from './tracing.ts';

/** Does a piece of work under a span of its own, which ends with it and says why it failed. Settles as the work does. */
export async function inSpan<Result>(
  tracing: Tracing,
  name: string,
  options: SpanOptions,
  work: (context: TraceContext) => Promise<Result>,
): Promise<Result> {
  const span = tracing.start(name, options);
  try {
    const result = await work(span.context);
    span.end();
    return result;
  } catch (error) {
    span.end({ error: maskText(error instanceof Error ? error.message : String(error)) });
    throw error;
  }
}
