import type { Mechanism, TraceContext } from '@mailhook/core';
import { withoutQuotations } from '@mailhook/core';
import { maskText } from '@mailhook/platform/logger';
import type { SpanOptions, Tracing } from '@mailhook/platform/tracing';
import type { Attempt } from './attempt.ts';

/**
 * Writes the span of an attempt, with the duration of its request, and returns the span's context. The span of a
 * notification belongs to the trace in which its event was published. A batch has events of many traces, so its span
 * starts a new trace with links to these. Writes no span and returns undefined if no event has a trace context. The
 * span contains the host of the address, but neither the rest of the address nor data of the events.
 */
export function traceAttempt(tracing: Tracing, attempt: Attempt, kind: Mechanism): TraceContext | undefined {
  const { batch, target, sent, endedAtMs } = attempt;
  const [first] = batch.traces;
  if (first === undefined) return undefined;
  const { outcome } = sent;
  const isCampaign = kind === 'campaign';
  const options: SpanOptions = {
    kind: 'client',
    ...(isCampaign ? { links: batch.traces } : { parent: first }),
    startedAtMs: endedAtMs - sent.durationMs,
    attributes: {
      'mailhook.mechanism': kind,
      'mailhook.account': target.account,
      'mailhook.destination': attempt.destination,
      'mailhook.webhook_id': attempt.webhookId,
      'mailhook.attempt': batch.attempt,
      'mailhook.events': sent.events,
      'mailhook.outcome': outcome.name,
      'http.request.method': 'POST',
      'http.response.status_code': outcome.httpStatus,
      'server.address': URL.canParse(target.address) ? new URL(target.address).hostname : undefined,
    },
  };
  const span = tracing.start(isCampaign ? 'deliver batch' : 'deliver notification', options);
  span.end({
    endedAtMs,
    error: outcome.error === undefined ? undefined : maskText(withoutQuotations(String(outcome.error))),
  });
  return span.context;
}
