/**
 * Options for every `Queue` that only adds or removes jobs. By default, BullMQ checks the version of Redis when it
 * opens a queue, and never repeats a failed check. So a queue that was opened while Redis was away would never work.
 */
export const OPENS_WITHOUT_REDIS = { skipVersionCheck: true, skipWaitingForReady: true } as const;
