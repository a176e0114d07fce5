/**
 * The typed readers of everything that the engine stores, for `@mailhook/insight` and for tests. Nothing here writes;
 * `withFields` is for Lua of tests.
 */
export { readAccountSums, readHeavyAccounts, readBlocks, readBlocksShares } from './accounts.ts';
export { createClock } from './clock.ts';
export {
  ACTIVE,
  BY_CUSTOMER,
  DELETED,
  GONE,
  IDLE,
  INACTIVE,
  LONG_FIELD,
  OWNED,
  READY,
  UNKNOWN,
  WAITING,
} from './constants.ts';
export { formatDeadLetterId, readListMember } from './dead-letter-id.ts';
export { acceptedAtMs, eventsOf, fragmentsOf } from './entry.ts';
export { hasFingerprint, readFingerprints } from './fingerprints.ts';
export { readLostWrites } from './heartbeat.ts';
export type { LostWrites } from './heartbeat.ts';
export { chunkQueueKeys, workerOf } from './keys.ts';
export { findKeys, placesOf } from './find-keys.ts';
export { withFields } from './lua-fields.ts';
export {
  countLive,
  hasMailbox,
  readDeadLetter,
  readDeadLetters,
  readEntries,
  readMailbox,
  readMailboxes,
  readOldestMs,
  readResend,
  readResends,
  readStates,
  scanLive,
} from './records.ts';
export type { Mailbox, ResendRecord } from './records.ts';
export { holdsEvents, inFlightOf, newEvents, sizeLimitOf } from './state.ts';
export type { MailboxState } from './state.ts';
export { readSums } from './sums.ts';
export { readWorkers } from './workers.ts';
export type { WorkerRecord } from './workers.ts';
