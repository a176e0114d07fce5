import type { EventLog } from '@mailhook/event-log';

/** All places of the event log that may list events: what is erased must be gone from each. */
export interface ErasedLogs {
  /** The calls of a log reject while its place cannot be reached. Rejects while Redis is away. */
  list(): Promise<readonly { readonly name: string; readonly log: Pick<EventLog, 'erase' | 'holdsAccount'> }[]>;
}
