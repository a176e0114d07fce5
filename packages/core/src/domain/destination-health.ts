import type { DestinationHealth } from '../contracts/destination-status.ts';
import type { HistoryBar } from '../contracts/history.ts';
import { sumOfCounts } from './delivery-counts.ts';
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

/** With fewer expected failures, that none came may be chance. Fewer failures in an hour are no pattern. */
const FAILURES_MIN = 3;

/**
 * Since when a receiver for which no resend waits fails no more (Unix time in milliseconds). Undefined without a
 * failure in the last hour, or if it had so few deliveries since the last one that their success may be chance.
 *
 * @param bars of the last hour, oldest first.
 */
export function recoveredAtMs(bars: readonly HistoryBar[], nowMs: number): number | undefined {
  const last = bars.findLastIndex(({ failed, unconfirmed }) => failed + unconfirmed > 0);
  if (last === -1) return undefined;
  const [before, since] = [sumOfCounts(bars.slice(0, last + 1)), sumOfCounts(bars.slice(last + 1))];
  const isSure = (bad: number, good: number, goodSince: number): boolean =>
    bad === 0 || bad * goodSince >= FAILURES_MIN * (bad + good);
  const isPast =
    (before.failed < FAILURES_MIN && bars.slice(last).some(({ delivered }) => delivered > 0)) ||
    (isSure(before.failed, before.delivered, since.delivered) &&
      isSure(before.unconfirmed, before.events, since.events));
  return isPast ? (bars[last + 1]?.fromMs ?? nowMs) : undefined;
}
