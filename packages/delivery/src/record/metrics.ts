import type { Mechanism, OutcomeName } from '@mailhook/core';
import type { Metrics } from '@mailhook/platform/metrics';
import type { Attempt } from './attempt.ts';
import type { CommandName } from '../mailbox/functions.ts';

export type EngineMetrics = ReturnType<typeof createEngineMetrics>;

const REPAIRS = ['resend', 'park', 'mail', 'ownership', 'stalled-job', 'deactivation', 'dead-letter'] as const;

/** A kind of repair by the reconciler or a heartbeat. */
export type Repair = (typeof REPAIRS)[number];

/** What cannot be, see `mailbox/lua/includes/violations.lua`. */
const VIOLATIONS = ['extra-entries', 'missing-entries', 'negative-sum', 'sum-without-mailbox'] as const;

const OUTCOMES: readonly OutcomeName[] = [
  'delivered',
  'rejected',
  'timeout',
  'unreachable',
  'invalid-reply',
  'blocked',
  'cut',
];

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 600, 3600, 86_400];
const SCRIPT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2];
const BATCH_SIZES = [1, 2, 5, 10, 25, 50, 100, 250, 500, 750, 1000];

function define(metrics: Metrics) {
  const deliveries = metrics.counter({
    name: 'mailhook_deliveries_total',
    help: 'Delivery attempts by outcome',
    labels: ['kind', 'outcome'],
  });
  const events = metrics.counter({
    name: 'mailhook_events_total',
    help: 'Events by result',
    labels: ['kind', 'result'],
  });
  const acknowledgement = metrics.histogram({
    name: 'mailhook_event_to_acknowledgement_seconds',
    help: 'From the acceptance of a batch\u2019s oldest event to the end of its attempt',
    labels: ['kind'],
    buckets: SECONDS,
  });
  const fill = metrics.histogram({
    name: 'mailhook_batch_events',
    help: 'Events per request to a receiver',
    labels: ['kind'],
    buckets: BATCH_SIZES,
  });
  const repairs = metrics.counter({
    name: 'mailhook_reconciler_repairs_total',
    help: 'Repairs by the reconciler and by heartbeats',
    labels: ['kind', 'repair'],
  });
  const violations = metrics.counter({
    name: 'mailhook_invariant_violations_total',
    help: 'States of mailboxes that cannot be, unless Redis ran half of a command or somebody changed its keys',
    labels: ['kind', 'what'],
  });
  const resends = metrics.counter({
    name: 'mailhook_resends_total',
    help: 'Delivery attempts that were not the first of their batch',
    labels: ['kind'],
  });
  const scripts = metrics.histogram({
    name: 'mailhook_script_seconds',
    help: 'From the call of a function in Redis to its reply, waiting in line included',
    labels: ['kind', 'script'],
    buckets: SCRIPT_SECONDS,
  });
  return { deliveries, events, acknowledgement, fill, repairs, violations, resends, scripts };
}

/** The engine's metrics, the same in both workers. */
export function createEngineMetrics(metrics: Metrics, kind: Mechanism) {
  const { deliveries, events, acknowledgement, fill, repairs, violations, resends, scripts } = define(metrics);
  // Labels are bound once, because a label lookup costs as much as the rest of an attempt's bookkeeping.
  const byOutcome = new Map(OUTCOMES.map((outcome) => [outcome, deliveries.labels({ kind, outcome })]));
  const delivered = events.labels({ kind, result: 'delivered' });
  const acknowledged = acknowledgement.labels({ kind });
  const filled = fill.labels({ kind });
  const resent = resends.labels({ kind });
  const byScript = new Map<CommandName, ReturnType<typeof scripts.labels>>();
  // Every series starts at 0, so that Prometheus sees its first increase.
  for (const counter of [...byOutcome.values(), delivered, resent]) counter.inc(0);
  for (const result of ['dead', 'dropped']) events.inc({ kind, result }, 0);
  for (const repair of REPAIRS) repairs.inc({ kind, repair }, 0);
  for (const what of VIOLATIONS) violations.inc({ kind, what }, 0);
  return {
    attempted({ sent, settlement, batch, endedAtMs }: Attempt): void {
      byOutcome.get(sent.outcome.name)?.inc();
      filled.observe(sent.events);
      if (batch.attempt > 1) resent.inc();
      if (settlement.delivered > 0) {
        delivered.inc(settlement.delivered);
        acknowledged.observe((endedAtMs - batch.acceptedAtMs) / 1000);
      }
    },
    gaveUp: (count: number): void => events.inc({ kind, result: 'dead' }, count),
    droppedEvents: (count: number): void => events.inc({ kind, result: 'dropped' }, count),
    scriptTook: (name: CommandName, seconds: number): void => {
      let series = byScript.get(name);
      if (series === undefined) byScript.set(name, (series = scripts.labels({ kind, script: name })));
      series.observe(seconds);
    },
    violated: (what: string): void => violations.inc({ kind, what }),
    repaired: (repair: Repair, count = 1): void => repairs.inc({ kind, repair }, count),
  };
}
