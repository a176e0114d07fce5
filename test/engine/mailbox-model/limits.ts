export const HOUR_MS = 3_600_000;
/** Longer than a run, so that only steps end leases. */
export const LEASE_MS = 250_000;
export const HEARTBEAT_MS = 50_000;
/** As in heartbeat.lua. */
export const LATE_MS = 250;
/** Most batches in flight. */
export const WINDOW_MAX = 4;
/** Most events per batch. */
export const BATCH_MAX = 3;
export const LIMITS = { batchMax: BATCH_MAX, windowMax: WINDOW_MAX, maxAgeMs: 1000 * HOUR_MS };
/**
 * Live mailboxes beside the one of the model, so that the search for the mailboxes of a dead worker has several pages.
 */
export const OTHER_MAILBOXES = 30;
/** The size of such a page. */
export const PAGE = 12;
