import { isAddressAtFault } from './refusal.ts';
import type { Outcome } from './outcome.ts';
import { statusRule } from './status-rules.ts';

export interface RetryPolicy {
  /** The waits between attempts, in milliseconds. n waits allow n + 1 attempts. */
  readonly scheduleMs: readonly number[];
  /** Each wait is drawn at random from wait x (1 - jitter) to wait x (1 + jitter). */
  readonly jitter: number;
}

export type NextStep =
  { readonly type: 'resend'; readonly waitMs: number; readonly step: number } | { readonly type: 'dead' };

/**
 * Decides whether a failed batch is resent and when, or becomes a dead letter (docs/protocol.md).
 *
 * @param step the position in the schedule, which is the number of earlier recorded failures.
 * @param random in [0, 1), the position of this wait in the range of the jitter.
 * @param nowMs Unix milliseconds, only to read a `Retry-After` that is a date.
 */
export function nextStep(outcome: Outcome, step: number, policy: RetryPolicy, random: number, nowMs: number): NextStep {
  const entryMs = policy.scheduleMs[step];
  if (entryMs === undefined || isAddressAtFault(outcome)) return { type: 'dead' };
  const jitteredMs = withJitter(entryMs, policy, random);
  const askedMs =
    statusRule(outcome.httpStatus).honorsRetryAfter === true ? parseRetryAfterMs(outcome.retryAfter, nowMs) : undefined;
  const longestMs = Math.max(...policy.scheduleMs);
  const waitMs = askedMs === undefined ? jitteredMs : Math.max(jitteredMs, Math.min(askedMs, longestMs));
  return { type: 'resend', waitMs: Math.round(waitMs), step: step + 1 };
}

/** Applies the jitter of the policy to a wait. */
export const withJitter = (waitMs: number, { jitter }: RetryPolicy, random: number): number =>
  waitMs * (1 + jitter * (2 * random - 1));

/** The three forms of an HTTP date (RFC 9110, section 5.6.7). `Date.parse` alone accepts far more. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d/;

/**
 * Reads a `Retry-After` header (seconds or an HTTP date) as milliseconds from now. Returns undefined if it is absent or
 * unreadable.
 */
export function parseRetryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const value = header?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = HTTP_DATE.exec(value);
  if (date === null) return undefined;
  // The oldest of the three forms (`Sun Nov  6 08:49:37 1994`) has no time zone, but is UTC too.
  const dateMs = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}
