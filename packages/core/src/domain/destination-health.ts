import type { DestinationHealth } from '../contracts/destination-status.ts';
import type { RecentDeliveries } from './delivery-counts.ts';

export interface HealthFacts {
  readonly isActive: boolean;
  /** Whether Mailhook switched the destination off. */
  readonly isGone: boolean;
  /** What holds its deliveries back, if anything does. */
  readonly held: 'paused' | 'parked' | undefined;
  /** Failed attempts in a row. */
  readonly failures: number;
  readonly lastHour: RecentDeliveries;
  /** Whether something was sent in the last 7 days. */
  readonly isTried: boolean;
}

/** Why a destination is degraded, with a percentage from 0 to 100. */
export type Degradation =
  | { readonly cause: 'unconfirmed'; readonly confirmedPercent: number }
  | { readonly cause: 'failed'; readonly failedPercent: number };

/** Up to this share of an hour's attempts may fail. */
const FAILED_SHARE_MAX = 0.05;

/** The state of a destination as its customer sees it. The most urgent one wins. */
export function destinationHealthOf(facts: HealthFacts): DestinationHealth {
  const { isActive, isGone, held, failures, lastHour, isTried } = facts;
  if (!isActive) return isGone ? 'switched_off' : 'off';
  if (held !== undefined) return held;
  if (failures > 0) return 'failing';
  if (!isTried) return 'no_deliveries';
  return degradationOf(lastHour) === undefined ? 'healthy' : 'degraded';
}

/**
 * Whether a receiver that takes events leaves some of them out, or fails more than 5 % of its attempts. Percentages are
 * rounded to the worse side, so that no text says 100 % of a receiver that is not perfect.
 */
export function degradationOf(lastHour: RecentDeliveries): Degradation | undefined {
  const { confirmed, unconfirmed, delivered, failed } = lastHour;
  if (unconfirmed > 0) {
    return { cause: 'unconfirmed', confirmedPercent: Math.floor((100 * confirmed) / (confirmed + unconfirmed)) };
  }
  const attempts = delivered + failed;
  if (failed <= FAILED_SHARE_MAX * attempts) return undefined;
  return { cause: 'failed', failedPercent: Math.ceil((100 * failed) / attempts) };
}
