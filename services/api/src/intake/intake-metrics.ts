import { filteredId, unroutedId } from '@mailhook/delivery';
import type { DeliveryCounter, RoutedEvent } from '@mailhook/delivery';
import type { Metrics } from '@mailhook/platform/metrics';
import { withoutDestination } from './find-destinations.ts';

const EVENT_REASONS = ['invalid', 'unknown_account', 'too_many_waiting'] as const;
const JOB_REASONS = ['malformed_job', 'job_too_large', 'job_ends_process'] as const;
const REASONS = [...EVENT_REASONS, ...JOB_REASONS] as const;

/** Why an event, or a whole job of a Redis-fed producer, was not taken. */
type Reason = (typeof REASONS)[number];
type EventReason = (typeof EVENT_REASONS)[number];

export interface IntakeMetrics {
  /** Counts accepted events, and those among them that no active destination takes, or that filters keep out. */
  readonly accepted: (events: readonly RoutedEvent[]) => void;
  /** Counts rejected events or jobs of Redis-fed producers. */
  readonly rejected: (reason: Reason, count: number) => void;
  /**
   * Counts the events that a request with `onError=skip` left out. They raise no alert, because the answer lists them.
   */
  readonly skipped: (reason: EventReason, count: number) => void;
  /** Rejected events that made room for newer ones. */
  readonly forgotten: (count: number) => void;
}

/** `history` shows customers which of their events no destination takes. */
export function createIntakeMetrics(metrics: Metrics, history: Pick<DeliveryCounter, 'count'>): IntakeMetrics {
  const accepted = metrics.counter({
    name: 'mailhook_events_accepted_total',
    help: 'Events accepted for delivery, duplicates and those without a subscriber included.',
    labels: ['kind'],
  });
  const rejected = metrics.counter({
    name: 'mailhook_events_rejected_total',
    help: 'Rejected events, and malformed or refused jobs, of producers that write to Redis directly.',
    labels: ['reason'],
  });
  const skipped = metrics.counter({
    name: 'mailhook_events_skipped_total',
    help: 'Events that requests with onError=skip left out.',
    labels: ['reason'],
  });
  const unrouted = metrics.counter({
    name: 'mailhook_events_without_destination_total',
    help: 'Accepted events that no active destination takes.',
  });
  const forgotten = metrics.counter({
    name: 'mailhook_rejected_events_dropped_total',
    help: 'Rejected events that were removed because newer ones needed their place.',
  });
  // Create every series at the start, because Prometheus misses the first increase of a new series.
  for (const reason of REASONS) rejected.inc({ reason }, 0);
  for (const reason of EVENT_REASONS) skipped.inc({ reason }, 0);
  const kinds = { transactional_email: accepted.labels('transactional'), campaign: accepted.labels('campaign') };
  return {
    accepted: (events) => {
      let campaign = 0;
      for (const { event } of events) if (event.module === 'campaign') campaign += 1;
      kinds.campaign.inc(campaign);
      kinds.transactional_email.inc(events.length - campaign);
      const nowMs = Date.now();
      const count = (account: string, counted: string) => {
        history.count(account, counted, { events: 1, isDelivered: true, endedAtMs: nowMs });
      };
      for (const { event, filteredOut = [] } of events)
        for (const { id } of filteredOut) count(event.account, filteredId(id));
      const without = withoutDestination(events);
      unrouted.inc(without.length);
      for (const { account, ...event } of without)
        count(account, unroutedId(account, event.module === 'campaign' ? 'campaign' : event.name));
    },
    rejected: (reason, count) => {
      rejected.inc({ reason }, count);
    },
    skipped: (reason, count) => {
      skipped.inc({ reason }, count);
    },
    forgotten: (count) => {
      forgotten.inc(count);
    },
  };
}
