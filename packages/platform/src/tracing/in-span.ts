import type { TraceContext } from '@mailhook/core';
import { maskText } from '../logger/index.ts';
import type { SpanOptions, Tracing } from './tracing.ts';

/** Runs the work in a new span, which ends with the work and records its error. Resolves or rejects like the work. */
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
