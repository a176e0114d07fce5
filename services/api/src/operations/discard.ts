import type { OperatorServices } from '@mailhook/core';
import { mechanism } from '@mailhook/core';
import type { DeadLetterBox } from '@mailhook/delivery';
import type { Logger } from '@mailhook/platform/logger';
import type { Metrics } from '@mailhook/platform/metrics';

interface DiscardDeps {
  readonly deadLetters: Pick<DeadLetterBox, 'discard'>;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/**
 * Logs and counts what operators and customers discard, so that accepted events never vanish without a trace
 * (docs/decisions/0011).
 */
export function createDiscard({ deadLetters, metrics, logger }: DiscardDeps): OperatorServices['discard'] {
  const counter = metrics.counter({
    name: 'mailhook_events_discarded_total',
    help: 'Events in dead letters that operators or customers deleted',
    labels: ['kind'],
  });
  for (const kind of mechanism.options) counter.inc({ kind }, 0);
  return async (selection) => {
    const { deadLetters: discarded, events } = await deadLetters.discard(selection);
    for (const kind of mechanism.options) counter.inc({ kind }, events[kind]);
    logger.info('dead letters were discarded', { account: selection.account, letters: discarded, events });
    return { discarded, events: events.transactional + events.campaign };
  };
}
