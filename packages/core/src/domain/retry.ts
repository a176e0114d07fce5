import { isAddressAtFault } from './refusal.ts';
import type { Outcome } from './outcome.ts';

export interface RetryPolicy {
  /** The waits between attempts, in milliseconds. n waits allow n + 1 attempts. */
  readonly scheduleMs: readonly number[];
  /** Each wait is drawn at random from wait x (1 - jitter) to wait x (1 + jitter). */
  readonly jitter: number;
}

export type NextStep =
  | { readonly type: 'resend'; readonly waitMs: number; readonly step: number }
  | { readonly type: 'dead' };

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
  const askedMs = (outcome.httpStatus ?? 0) >= 400 ? retryAfterMs(outcome.retryAfter, nowMs) : 0;
  const waitMs = longerWaitMs(withJitter(entryMs, policy, random), askedMs, Math.max(...policy.scheduleMs));
  return { type: 'resend', waitMs: Math.round(waitMs), step: step + 1 };
}

/** Applies the jitter of the policy to a wait. */
export const withJitter = (waitMs: number, { jitter }: RetryPolicy, random: number): number =>
  waitMs * (1 + jitter * (2 * random - 1));

/** No resend waits longer, in milliseconds. */
export const longestWaitMs = ({ scheduleMs, jitter }: RetryPolicy): number =>
  Math.ceil(Math.max(...scheduleMs) * (1 + jitter));

/** The scheduled wait, or the one that `Retry-After` asks for if that is longer, but then at most `longestMs`. */
export const longerWaitMs = (scheduledMs: number, askedMs: number, longestMs: number): number =>
  Math.max(scheduledMs, Math.min(askedMs, longestMs));

/** The comma after the weekday of an HTTP date separates nothing. */
const SEPARATOR = /(?<!\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*),/;
/** The three forms of an HTTP date (RFC 9110, section 5.6.7). `Date.parse` alone accepts far more. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d/;

/**
 * Reads a `Retry-After` header as milliseconds from now: seconds, rounded up, or an HTTP date. Of several values, which
 * come from several headers, the longest wait counts. Returns 0 if none of them can be read.
 */
export const retryAfterMs = (header: string | null | undefined, nowMs: number): number =>
  Math.max(0, ...(header ?? '').split(SEPARATOR).map((value) => oneWaitMs(value.trim(), nowMs)));

function oneWaitMs(value: string, nowMs: number): number {
  if (/^(?:\d+\.?\d*|\.\d+)$/.test(value)) return Math.ceil(Number(value)) * 1000;
  if (!HTTP_DATE.test(value)) return 0;
  // The oldest of the three forms (`Sun Nov  6 08:49:37 1994`) has no time zone, but is UTC too.
  const dateMs = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`);
  return Number.isNaN(dateMs) ? 0 : dateMs - nowMs;
}
