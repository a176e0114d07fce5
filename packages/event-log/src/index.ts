export { DamagedLogError } from './bytes.ts';
export { compareEntries, entryName, parseEntryName } from './entry.ts';
export type {
  EntryPosition,
  EventOutcome,
  LogContent,
  LoggedEvent,
  LoggedGap,
  LoggedOutcome,
  LogItem,
  OutcomeResult,
} from './entry.ts';
export { derivedNames, notificationStem, outcomeKey } from './event-keys.ts';
export { createEventLog } from './event-log.ts';
export type { EventLog, EventLogOptions, LogExtent } from './event-log.ts';
export { createFolderStore } from './folder-store.ts';
export type { LogQuery } from './query.ts';
export type { LogPage, ScanPage } from './reader.ts';
export type { BlockKey, BlockKeys } from './sealed-block.ts';
export { createS3Store } from './s3-store.ts';
export type { S3Options } from './s3-store.ts';
export { MissingObjectError } from './store.ts';
export type { LogStore } from './store.ts';
