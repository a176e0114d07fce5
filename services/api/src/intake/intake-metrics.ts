import type { ProducerEvent } from '@mailhook/core';
import type { Metrics } from '@mailhook/platform/metrics';

export interface IntakeMetrics {
  readonly accepted: (events: readonly ProducerEvent[]) => void;
  /** Of Redis-fed producers: by `reason`, a word of a fixed few. */
  readonly rejected: (
    reason: 'invalid' | 'unknown_account' | 'too_many_waiting' | 'malformed_job',
    count: number,
  ) => void;
}

export function createIntakeMetrics(metrics: Metrics): IntakeMetrics {
  const accepted = metrics.counter({
    name: 'mailhook_events_accepted_total',
    help: 'Events accepted for delivery, duplicates and those without a subscriber included.',
    labels: ['kind'],
  });
  const rejected = metrics.counter({
    name: 'mailhook_events_rejected_total',
    help: 'Events of Redis-fed producers that were kept aside, and their jobs that were none.',
    labels: ['reason'],
  });
  const kinds = { transactional_email: accepted.labels('transactional'), campaign: accepted.labels('campaign') };
  return {
    accepted: (events) => {
      let campaign = 0;
      for (const event of events) if (event.module === 'campaign') campaign += 1;
      kinds.campaign.inc(campaign);
      kinds.transactional_email.inc(events.length - campaign);
    },
    rejected: (reason, count) => {
      rejected.inc({ reason }, count);
    },
  };
}
