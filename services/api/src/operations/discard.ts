import type { z } from 'zod';
import { mechanism } from '@mailhook/core';
import type { discardInput } from '@mailhook/core';
import type { DeadLetterBox } from '@mailhook/delivery';
import type { Logger } from '@mailhook/platform/logger';
import type { Metrics } from '@mailhook/platform/metrics';

interface DiscardDeps {
  readonly deadLetters: Pick<DeadLetterBox, 'discard'>;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** Deletes dead letters permanently. Resolves with the number of dead letters and of their events. */
export type Discard = (
  selection: z.infer<typeof discardInput>,
) => Promise<{ readonly discarded: number; readonly events: number }>;

/**
 * Logs and counts what operators discard, so that accepted events never vanish without a trace (docs/decisions/0011).
 */
export function createDiscard({ deadLetters, metrics, logger }: DiscardDeps): Discard {
  const counter = metrics.counter({
    name: 'mailhook_events_discarded_total',
    help: 'Events in dead letters that operators deleted',
    labels: ['kind'],
  });
  for (const kind of mechanism.options) counter.inc({ kind }, 0);
  return async ({ account, destination, address, ids }) => {
    const { deadLetters: discarded, events } = await deadLetters.discard({ account, destination, address, ids });
    for (const kind of mechanism.options) counter.inc({ kind }, events[kind]);
    logger.info("an operator's action", { action: 'discard', account, letters: discarded, events });
    return { discarded, events: events.transactional + events.campaign };
  };
}
