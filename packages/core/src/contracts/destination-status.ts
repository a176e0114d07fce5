import { z } from 'zod';
import { sentenceField } from './sentence-field.ts';
import { ENDING_STATUSES } from '../domain/status-rules.ts';
import { mechanism } from './delivery.ts';
import { destinationSettings } from './destination-settings.ts';
import type { UnroutedType } from './history.ts';
import { UNROUTED_TYPES } from './history.ts';

export const destinationHealth = z
  .enum(['no_deliveries', 'healthy', 'degraded', 'failing', 'parked', 'paused', 'off', 'switched_off'])
  .describe(
    'no_deliveries: nothing was sent in the last 7 days, so nothing shows whether it works. degraded: in the last ' +
      'hour, the receiver left events out of its acknowledgements, or more than 5 % of the attempts failed. failing: ' +
      'the last attempt failed. parked: after many failures in a row, nothing is sent until parkedUntil. paused: by ' +
      'you or an operator, until pausedUntil. off: by you. switched_off: by Mailhook, because the receiver answered ' +
      `${ENDING_STATUSES}.`,
  );
export type DestinationHealth = z.infer<typeof destinationHealth>;

/** A destination's settings and state as `GET /v3/webhook/destinations` lists them. Times are ISO 8601. */
export const destinationStatus = z.object({
  destination: z.string().describe('Its id, or campaign for the campaign webhook.'),
  id: z.string().describe('Equal to destination.'),
  kind: mechanism,
  ...destinationSettings.shape,
  inactiveReason: sentenceField()
    .optional()
    .describe(`Why Mailhook itself switched it off: the receiver answered ${ENDING_STATUSES}.`),
  state: destinationHealth,
  waiting: z
    .int()
    .describe('Undelivered events: new, in flight or in resends. An estimate if there are over 100 resends.'),
  resends: z.int().describe('Failed requests that wait for their next attempt, or are in flight again.'),
  failures: z.int().describe('Failed attempts in a row.'),
  lastHour: z
    .object({
      confirmed: z.int().describe('Events that the receiver acknowledged.'),
      unconfirmed: z
        .int()
        .describe('Events that it left out of an acknowledgement, in each request that carried them.'),
      delivered: z.int().describe('Attempts that delivered all of their events.'),
      failed: z.int().describe('All other attempts.'),
      filtered: z.int().optional().describe('Events of its types that its filter kept out. Absent without a filter.'),
      replyTimeMs: z
        .object({ p50: z.int(), p95: z.int() })
        .optional()
        .describe(
          'Milliseconds within which half of the attempts, and 95 % of them, had a reply or reached the deadline. ' +
            'Absent without such an attempt.',
        ),
    })
    .describe('Estimates, a few seconds old.'),
  oldestWaitingAt: z
    .string()
    .optional()
    .describe('When the oldest undelivered event was accepted. With over 100 resends, it may be earlier.'),
  nextAttemptAt: z
    .string()
    .optional()
    .describe(
      'When the next resend is due; with over 100 resends, it may be earlier. While parked: when one event is tried.',
    ),
  parkedUntil: z.string().optional(),
  pausedUntil: z.string().optional(),
  pausedBy: z.enum(['customer', 'operator']).optional().describe('A customer cannot end a pause by an operator.'),
  goneAt: z.string().optional().describe(`When the receiver answered ${ENDING_STATUSES}, if that is known.`),
  lastError: sentenceField()
    .optional()
    .describe(
      'Of the last failed attempt, in a sentence, until one succeeds, or of an attempt whose events still wait.',
    ),
});
export type DestinationStatus = z.infer<typeof destinationStatus>;

/** The answer of `GET /v3/webhook/destinations`. */
export const destinationList = z.object({
  items: z.array(destinationStatus),
  withoutDestination: z
    .object(Object.fromEntries(UNROUTED_TYPES.map((type) => [type, z.int()])) as Record<UnroutedType, z.ZodInt>)
    .partial()
    .optional()
    .describe('Accepted events of the last 24 hours that no active destination took. Absent if there are none.'),
});

/**
 * The longest pause by a customer. Events that wait longer would become dead letters by the default `WAITING_MAX_AGE`.
 */
const CUSTOMER_PAUSE_MAX_MINUTES = 3 * 24 * 60;
export const customerPauseInput = z.object({ minutes: z.int().min(1).max(CUSTOMER_PAUSE_MAX_MINUTES) });

export const sendNowInput = z.strictObject({
  deadLetters: z.boolean().optional().describe('true: also delivers its dead letters again. Default: false.'),
});
/**
 * `sending`: events that waited at the request, some of which may be delivered already. `redriven`: dead letters that
 * are delivered again.
 */
export const sendNowResult = destinationStatus.extend({ sending: z.int(), redriven: z.int() });
export type SendNowResult = z.infer<typeof sendNowResult>;
