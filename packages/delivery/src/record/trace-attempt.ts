import type { Mechanism, TraceContext } from '@mailhook/core';
import { withoutQuotations, isUrl } from '@mailhook/core';
import { maskText } from '@mailhook/platform/logger';
import type { SpanOptions, Tracing } from '@mailhook/platform/tracing';
import type { Attempt } from './attempt.ts';

/**
 * Writes the span of an attempt, with the duration of its request, and returns the span's context. The span of a
 * request with one event belongs to the trace in which that was published. Others have events of many traces, so
 * their span starts a new trace with links to these. Writes no span and returns undefined if no event has a trace
 * context. The span contains the host of the address, but neither the rest of the address nor data of the events.
 */
export function traceAttempt(tracing: Tracing, attempt: Attempt, kind: Mechanism): TraceContext | undefined {
  const { batch, target, sent, endedAtMs } = attempt;
  const [first] = batch.traces;
  if (first === undefined) return undefined;
  const { outcome } = sent;
  const { shape } = batch;
  const isSingle = shape === 'single';
  const options: SpanOptions = {
    kind: 'client',
    ...(isSingle ? { parent: first } : { links: batch.traces }),
    startedAtMs: endedAtMs - sent.durationMs,
    attributes: {
      'mailhook.mechanism': kind,
      'mailhook.shape': shape,
      'mailhook.account': target.account,
      'mailhook.destination': attempt.destination,
      'mailhook.webhook_id': attempt.webhookId,
      'mailhook.attempt': batch.attempt,
      'mailhook.events': sent.events,
      'mailhook.outcome': outcome.name,
      'http.request.method': 'POST',
      'http.response.status_code': outcome.httpStatus,
      'server.address': isUrl(target.address) ? new URL(target.address).hostname : undefined,
    },
  };
  const span = tracing.start(isSingle ? 'deliver notification' : `deliver ${shape}`, options);
  span.end({
    endedAtMs,
    error: outcome.error === undefined ? undefined : maskText(withoutQuotations(String(outcome.error))),
  });
  return span.context;
}
