/** A chunk is late by a minute for each time that its account's queued bytes are twice this size. */
const LIGHT_BYTES = 100_000;
const STEP_MS = 60_000;
/** Enough for 1 GB. */
export const CHUNK_MINUTES_LATE_MAX = 14;
/**
 * Priorities of BullMQ are below this number. The minutes since 1970 exceed it and start again at 0 every four years.
 */
const PRIORITIES = 2_097_152;

/**
 * The minute at which a chunk is due, as the priority of its job: the lowest comes first. It is due now if its heaviest
 * account has at most 100 kB in the queue, this chunk included, and each doubling adds a minute. So a light account
 * overtakes heavy ones, but nothing that was due before it. No chunk waits for those that arrive more than 14
 * minutes later.
 *
 * BullMQ takes all jobs without a priority (0) first. A light chunk is one of them, but only while its shard is not
 * backed up.
 */
export function chunkPriority(queuedBytes: number, nowMs: number, isBackedUp: boolean): number {
  const doublings = Math.ceil(Math.log2(queuedBytes / LIGHT_BYTES));
  const minutesLate = Math.max(0, Math.min(CHUNK_MINUTES_LATE_MAX, doublings));
  if (minutesLate === 0 && !isBackedUp) return 0;
  return (Math.floor(nowMs / STEP_MS) + minutesLate) % PRIORITIES;
}
