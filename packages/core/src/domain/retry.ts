import type { Outcome } from './outcome.ts';

export interface RetryPolicy {
  /** The waits between attempts, in milliseconds: n waits are n + 1 attempts. */
  readonly scheduleMs: readonly number[];
  /** Each wait is drawn from wait x (1 - jitter) to wait x (1 + jitter). */
  readonly jitter: number;
}

export type NextStep =
  { readonly type: 'resend'; readonly waitMs: number; readonly step: number } | { readonly type: 'dead' };

/** Statuses whose `Retry-After` is honoured. */
const PATIENT_STATUSES: readonly number[] = [429, 503];

/**
 * What follows a failed attempt (spec, "Delivery rules" 4 and 5; design, section 3, "Schedule").
 *
 * @param step how many recorded failures went before, from 0: the position in the schedule.
 * @param random in [0, 1): where in the jitter's range this wait lies.
 * @param nowMs only to read a `Retry-After` that is a date.
 */
export function nextStep(outcome: Outcome, step: number, policy: RetryPolicy, random: number, nowMs: number): NextStep {
  return stepAfter(outcome, step, policy.scheduleMs[step], { policy, random, nowMs });
}

/**
 * The same within the search for a poison event, for a failure that says nothing of the events: as many waits as the schedule has, each as
 * long as its last. The search begins where the schedule ends, so the receiver is not asked more often than it was.
 */
export function nextSearchStep(
  outcome: Outcome,
  step: number,
  policy: RetryPolicy,
  random: number,
  nowMs: number,
): NextStep {
  const entryMs = step < policy.scheduleMs.length ? policy.scheduleMs.at(-1) : undefined;
  return stepAfter(outcome, step, entryMs, { policy, random, nowMs });
}

/** A wait with the jitter of the policy. */
export const withJitter = (waitMs: number, { jitter }: RetryPolicy, random: number): number =>
  waitMs * (1 + jitter * (2 * random - 1));

/** @param entryMs the wait before the jitter; undefined where there is none left. */
function stepAfter(
  outcome: Outcome,
  step: number,
  entryMs: number | undefined,
  { policy, random, nowMs }: { policy: RetryPolicy; random: number; nowMs: number },
): NextStep {
  if (entryMs === undefined || outcome.name === 'blocked' || outcome.httpStatus === 410) return { type: 'dead' };
  const jitteredMs = withJitter(entryMs, policy, random);
  const askedMs = PATIENT_STATUSES.includes(outcome.httpStatus ?? 0)
    ? parseRetryAfterMs(outcome.retryAfter, nowMs)
    : undefined;
  const longestMs = Math.max(...policy.scheduleMs);
  const waitMs = askedMs === undefined ? jitteredMs : Math.max(jitteredMs, Math.min(askedMs, longestMs));
  return { type: 'resend', waitMs: Math.round(waitMs), step: step + 1 };
}

/** The three forms of an HTTP date (RFC 9110, section 5.6.7). `Date.parse` alone reads nearly anything. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d/;

/** `Retry-After` in milliseconds from now: seconds or an HTTP date; undefined when absent or unreadable. */
export function parseRetryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const value = header?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = HTTP_DATE.exec(value);
  if (date === null) return undefined;
  // The oldest of the three forms (`Sun Nov  6 08:49:37 1994`) names no zone; it is UTC as well.
  const dateMs = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}
