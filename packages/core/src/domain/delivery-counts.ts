import type { DestinationStatus } from '../contracts/destination-status.ts';
import type { DeliveryCounts, DestinationHistory } from '../contracts/history.ts';

/** What a destination's receiver did in the last hour. */
export type RecentDeliveries = Readonly<DestinationStatus['lastHour']>;

/** Estimates in milliseconds: half of the replies, or 95 % of them, came within this time. */
export interface ReplyTimes {
  readonly p50: number;
  readonly p95: number;
}

/**
 * The upper bounds of the buckets of reply times, in milliseconds. Round numbers, because usual deadlines are: an
 * attempt that reached its deadline then reads as the deadline, and not as more.
 */
export const REPLY_BOUNDS_MS = [
  ...[1, 10, 100, 1000].flatMap((decade) => [1, 1.5, 2, 3, 5, 7].map((step) => step * decade)),
  10_000,
  15_000,
  20_000,
  30_000,
  60_000,
] as const;

export const NO_DELIVERIES: DeliveryCounts = {
  events: 0,
  unconfirmed: 0,
  delivered: 0,
  failed: 0,
  replies: [],
  timeouts: 0,
};

/** The bucket of a reply time. The last one has no upper bound. */
export function replyBucketOf(ms: number): number {
  const found = REPLY_BOUNDS_MS.findIndex((bound) => ms <= bound);
  return found === -1 ? REPLY_BOUNDS_MS.length - 1 : found;
}

export function sumOfCounts(counts: readonly DeliveryCounts[]): DeliveryCounts {
  const of = (name: 'events' | 'unconfirmed' | 'delivered' | 'failed' | 'timeouts'): number =>
    counts.reduce((total, one) => total + one[name], 0);
  const replies: number[] = [];
  for (const one of counts) {
    one.replies.forEach((attempts, bucket) => {
      replies[bucket] = (replies[bucket] ?? 0) + attempts;
    });
  }
  return {
    events: of('events'),
    unconfirmed: of('unconfirmed'),
    delivered: of('delivered'),
    failed: of('failed'),
    replies,
    timeouts: of('timeouts'),
  };
}

/** The bars of several destinations together. */
export function totalOfHistories(histories: readonly DestinationHistory[]): DestinationHistory {
  const [first = []] = histories;
  return first.map(({ fromMs }, i) => ({ fromMs, ...sumOfCounts(histories.flatMap((bars) => bars[i] ?? [])) }));
}

/** The counts without the attempts that reached the deadline, so that its replies alone have times. */
export function withoutTimeouts<Counts extends DeliveryCounts>(counts: Counts, deadlineMs: number): Counts {
  const { replies, timeouts } = counts;
  const last = replyBucketOf(deadlineMs);
  return { ...counts, replies: replies.map((all, i) => (i === last ? Math.max(0, all - timeouts) : all)) };
}

/** Undefined without a reply. */
export function replyTimesOf({ replies }: Pick<DeliveryCounts, 'replies'>): ReplyTimes | undefined {
  const total = replies.reduce((sum, attempts) => sum + attempts, 0);
  if (total === 0) return undefined;
  return { p50: timeAt(replies, total * 0.5), p95: timeAt(replies, total * 0.95) };
}

/** The time within which `rank` of the replies came, as if those of a bucket were spread evenly over it. */
function timeAt(replies: readonly number[], rank: number): number {
  let [before, lower, found] = [0, 0, 0];
  for (const [bucket, upper] of REPLY_BOUNDS_MS.entries()) {
    const attempts = replies[bucket] ?? 0;
    if (before < rank && before + attempts >= rank) found = lower + ((upper - lower) * (rank - before)) / attempts;
    before += attempts;
    lower = upper;
  }
  return Math.max(1, Math.round(found));
}

export function recentOf(counts: DeliveryCounts): RecentDeliveries {
  const { events, unconfirmed, delivered, failed } = counts;
  const replyTimeMs = replyTimesOf(counts);
  return { confirmed: events, unconfirmed, delivered, failed, ...(replyTimeMs === undefined ? {} : { replyTimeMs }) };
}
