import { coded, SHAPES } from '@mailhook/core';

/**
 * Numbers and texts of mailboxes. Lua commands can use them too: a Lua file names those that it uses,
 * `--- @constants LEASE_MS`.
 */

/**
 * The number of the format of everything that this version stores in Redis. An installation has one format, which
 * every start compares with this number (decision 0069). CONTRIBUTING.md says how to change a stored format.
 */
export const FORMAT = 2;

/**
 * Operators see a worker that ended without giving up its lease for this long, and up to this many of them per
 * mechanism and shard.
 */
export const LOST_WORKERS_KEPT_MS = 86_400_000;
export const LOST_WORKERS_MAX = 100;

/** Operators see that Redis has lost writes for this long. */
/** The number of a process that ended is kept for longer than a pause of a process or of Redis. */
export const HEARTBEATS_KEPT_MS = 7 * 86_400_000;
export const LOST_WRITES_SHOWN_S = 86_400;

/** Separates the trace contexts in a resend's record. */
export const TRACE_SEPARATOR = ' ';
/** Most trace contexts of a resend, so that the records of a dead receiver stay small. */
export const KEPT_TRACES_MAX = 32;

const DAY_MS = 86_400_000;

/** A dead letter's record outlives its places in the lists, because their removal needs its bytes. */
export const DEAD_LETTER_RECORDS_KEPT_MS = 37 * DAY_MS;

/** The progress of redriven dead letters is kept for this long after its last change. */
export const REDRIVEN_KEPT_MS = DAY_MS;
/** A run that redrives dead letters and has done nothing for this long has lost its process. */
export const REDRIVE_SILENT_MS = 30_000;

/** The record of a deleted destination stays this long after its last event. */
export const DELETED_KEPT_S = (7 * DAY_MS) / 1000;

/** Bytes of the digest that stands for a producer's id (`producerIdDigest`). */
export const ID_BYTES = 12;
/**
 * The average number of ids in a bucket. A bucket has up to twice as many. Redis packs hashes of up to 512 fields
 * (`hash-max-listpack-entries`) in a fraction of the memory of larger ones.
 */
export const IDS_PER_BUCKET = 96;
/** Most buckets that a call searches for expired ids. */
export const SWEPT_AT_ONCE = 20;

/**
 * Rows of delivered attempts are kept in blocks: when the list of an account has this many, the oldest become one
 * block. A row takes some 450 bytes in a short list, and 60 to 90 in a block (decision 0005).
 */
export const ROWS_PER_BLOCK = 40;
/** Delivered attempts that are kept per account while the event log has an outcome for each. */
export const LOGGED_ROWS_KEPT = 200;
/** A block of delivered attempts is made when their rows take about this, although they are few. */
export const BLOCK_CHARS_MAX = 256_000;
/** What Redis takes for a block besides its bytes, as a field of a hash. */
export const BLOCK_OVERHEAD_BYTES = 100;
/** Most blocks of all accounts that are removed when one is added. */
export const BLOCKS_DROPPED_AT_ONCE = 20;

/** How much of a chunk is appended is remembered for this long, if the chunk's job cannot hold that. */
export const PROGRESS_KEPT_S = 3600;

/**
 * What Redis takes for a chunk in the event log's buffer besides its data, measured. The data of a large chunk takes up
 * to a tenth more than its bytes.
 */
export const LOGGED_CHUNK_BYTES = 450;

/** Separates the first and the last time and the events of a gap of the event log. */
export const GAP_SEPARATOR = ' ';

/** Hexadecimal characters of an event's key in an outcome: 64 bits (`eventKey`). */
export const EVENT_KEY_CHARS = 16;

/** What became of the events of a replay, and that its last page is appended, is kept for this long. */
export const REPLAYS_KEPT_S = (8 * DAY_MS) / 1000;

/** Pages and other packages use them too. */
export {
  BATCH_BYTES_MAX,
  DEAD_LETTERS_KEPT_MS,
  EVENT_KEY_HIGH,
  EVENT_KEY_LOW,
  HEARTBEAT_MS,
  LEASE_MS,
} from '@mailhook/core';

/** Of BullMQ: the list of active jobs, the set of those without a renewed lock, and the end of a lock's key. */
export { ACTIVE_JOBS, JOB_LOCK, STALLED_JOBS } from '@mailhook/platform/queue';

/** The reason of dead letters that an operator gave up. */
export const OPERATOR_REASON = coded('given-up').packed;

/**
 * A field of large hashes. Its name is longer than 64 bytes (`hash-max-listpack-value`), see
 * `lua/engine/heartbeat.lua`.
 */
export const LONG_FIELD = 'not a key: this field makes Redis keep the hash as a table, so that a lookup stays quick';

/**
 * The status of a mailbox. An idle one may hold events that no worker may send, because its destination has no record.
 */
export const IDLE = 0;
/** On a ready list. */
export const READY = 1;
export const OWNED = 2;
/** Parked or paused: in the set `parked`. */
export const WAITING = 3;

/** What a destination's record says. */
export const UNKNOWN = 0;
export const ACTIVE = 1;
export const INACTIVE = 2;
/** Inactive, because the receiver answered this version with a 410. */
export const GONE = 3;
export const DELETED = 4;

/** Shapes of requests, as numbers. */
export const SINGLE_SHAPE = SHAPES.indexOf('single');
export const BATCH_SHAPE = SHAPES.indexOf('batch');

/** Who paused a destination. */
export const BY_CUSTOMER = 1;
export const BY_OPERATOR = 2;

/** A mailbox whose events have waited for this long is in the set `backlog`. */
export const BACKLOG_MS = 1000;

/** An entry of up to this size, the first of an empty mailbox, is kept in the hash `heads` instead of a list. */
export const HEAD_BYTES_MAX = 512;
