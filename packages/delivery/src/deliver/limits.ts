/** Every number of this folder. Times are in milliseconds. */

// Slots. See `admission.ts`.

/** Most characters of batches of destinations with a slot. Each event costs CPU. */
export const SLOT_CHARS_MAX = 8_000_000;
/**
 * Slots of a destination whose requests carry many events. While its events wait for the slots, they gather, and larger
 * requests cost less per event: with 2,000 campaign addresses, 256 of them at the same time take 10 to 20 % more CPU
 * than 24. A destination with one event per request gains nothing by waiting, so it takes one slot.
 */
export const GATHERING_SLOTS = 10;
/**
 * Destinations that are not proven use at most this share of slots, sockets and memory, so that proven ones find room.
 */
export const OTHERS_SHARE_MAX = 0.75;
/**
 * Most slots for them while some of them hang. Receivers that hang pass through the slots, and each request costs CPU.
 */
export const SLOW_OTHERS_SLOTS_MAX = 24;
/** Proven destinations use at most this share of the slots, so that about a tenth stays free for the others. */
export const PROVEN_SLOTS_SHARE_MAX = 0.9;
/** Above this share of sockets or memory, old requests are cut to make room. */
export const CROWDED_SHARE = 0.7;
/** A destination gives up its slot when its requests have been in flight for this long. */
export const LATE_MS = 200;
/**
 * The same while others wait for a slot. Waiting costs no CPU, and receivers that hang must not pass through one by
 * one.
 */
export const LATE_WHEN_AWAITED_MS = 50;
/** For this long after a destination that is not proven was late, such destinations get fewer slots. */
export const OTHERS_SLOW_MS = 5000;
/** Requests may be cut after this time in flight, those to proven destinations only after the longer time. */
export const CUT_AFTER_MS = 500;
export const CUT_PROVEN_AFTER_MS = 2500;
/** Most requests cut in one tick. Each costs a socket. */
export const CUT_AT_ONCE = 64;

// Drains. See `drain.ts` and `pool.ts`.

export const TICK_MS = 25;
/** First and longest pause between two checks for new events while requests are in flight. */
export const POLL_FIRST_MS = 25;
export const POLL_MAX_MS = 200;
/** How late a request of a paced destination may start without slowing the next ones down. Longer than a tick. */
export const CATCH_UP_MS = 50;
/** First and longest pause after a local fault. */
export const HELD_FIRST_MS = 250;
export const HELD_MAX_MS = 5000;
/**
 * For this long after a local fault, the pool saves file descriptors, ports and memory: it holds a batch whose
 * destination has failures in a row, until the pause of that destination has grown to `HELD_MAX_MS`, and cuts requests
 * while any batch is held.
 */
export const SHORT_MS = 5000;

// Calls of the mailbox. See `calls.ts`.

/** Most drains in one call, so that no call blocks Redis for long. */
export const DRAINS_PER_CALL = 64;
/** The same for the bodies of failed batches, in characters. One call always carries all bodies of a drain. */
export const BODIES_PER_CALL = 8_000_000;
/** How long steps that only report success may wait for others, and the maximum number of drains that wait. */
export const GATHER_MS = 20;
export const GATHERED_MAX = 16;
/** First and longest pause before a failed call is repeated. */
export const RETRY_FIRST_MS = 20;
export const RETRY_MAX_MS = 1000;
/** Most destinations of each kind that one call takes. */
export const TAKEN_AT_ONCE = 48;

// Chunks. See `chunk-worker.ts`.

/** Most ids of producers that one call claims. A chunk notes duplicates by call, so it belongs to the stored format. */
export const CLAIMS_MAX = 500;
/**
 * Largest slice of a chunk, so that a call takes only a few milliseconds. A job stores its progress as the number of
 * appended slices, so these limits belong to the stored format.
 */
export const SLICE_MAX = { groups: 125, chars: 300_000 } as const;
/**
 * Runs of a chunk job that end with an internal error. Then the job moves to the failed jobs, which are kept and
 * counted.
 */
export const INTERNAL_ERRORS_MAX = 3;
/**
 * Large chunk jobs. A parsed job takes several times its size in memory. Most places of a queue stay free for small
 * jobs.
 */
export const LARGE_CHUNKS = { bytes: 16 * 1024 * 1024, waiting: 8 };

// Jobs. See `jobs.ts` and `queue-workers.ts`.

/** Shortest delay of a probe, so that clock differences cause no busy loop. */
export const PARK_MIN_MS = 100;
/** Unreadable reports of deactivations are kept for this long, in seconds. */
export const UNREAD_KEPT_S = 7 * 86_400;
/** Most jobs in one group. Each takes Redis about 0.1 ms. */
export const GROUP_JOBS_MAX = 50;
/** How long a close waits for jobs that are being added. */
export const JOBS_CLOSE_MS = 500;
/**
 * Short locks, and frequent checks of chunk jobs, so that the death of a worker is noticed within seconds. Wake-up jobs
 * need fewer checks, because heartbeats do the work of late ones. A false alarm costs nothing, because every command is
 * fenced or idempotent. So jobs may stall without limit.
 */
const LOCKS = { lockDuration: 2000, maxStalledCount: 1_000_000 } as const;
const SELDOM_CHECKED = { ...LOCKS, stalledInterval: 2500 } as const;
export const RECOVERY = {
  chunks: { ...LOCKS, stalledInterval: 500 },
  resends: SELDOM_CHECKED,
  parks: SELDOM_CHECKED,
  deadLetters: SELDOM_CHECKED,
} as const;
/** Most jobs that each BullMQ worker processes together. No job waits for a receiver. */
export const CONCURRENCY = { chunks: 16, resends: 16, parks: 4, deadLetters: 4 } as const;
/** Pause before a step is repeated while Redis is away. */
export const AWAY_PAUSE_MS = 200;

// Leases and repairs. See `lease.ts` and `reconciler.ts`.

/** A worker stops sending this long before its lease ends, so that a new owner never sends at the same time. */
export const LEASE_MARGIN_MS = 1000;
/**
 * After this many late replies in a row, the connection to Redis is too slow, and the worker gives up its lease. A
 * stall of Redis delays fewer replies, because a heartbeat is sent only after the reply to the previous one.
 */
export const LATE_REPLIES_MAX = 3;
/** Time between two checks for claims whose reply was lost. */
export const LOST_CLAIMS_CHECK_MS = 1000;
/** Every fifth such check runs a full reconciliation. */
export const CHECKS_PER_RECONCILIATION = 5;
/** Live mailboxes in a page, so that no call blocks Redis for long. */
export const LIVE_PAGE = 500;
/** Each worker visits all live mailboxes within this many reconciliations, so within 5 minutes. */
export const WALK_RUNS = 60;
/**
 * Most destinations read from each ready list. In a longer one a missing destination cannot be detected; a later run
 * finds it.
 */
export const READY_READ_MAX = 10_000;
/** Failed chunk jobs that a run looks at. */
export const FAILED_CHUNKS_READ = 50;
/** A younger dead letter may still get its job from the worker that wrote it. */
export const DEAD_LETTER_SETTLED_MS = 5000;
/** How far back the first run checks dead letters. If an older one has no job, an operator has removed it. */
export const DEAD_LETTERS_BACK_MS = 3_600_000;
export const DEAD_LETTERS_PAGE = 2000;

// Local faults. See `local-faults.ts`.

/** A worker that has met nothing else for this long is not ready. */
export const UNREADY_AFTER_MS = 10_000;
/** A held batch is sent again sooner than this, so an older fault is over. */
export const FORGET_FAULT_AFTER_MS = 15_000;
export const LOG_FAULTS_EVERY_MS = 10_000;
