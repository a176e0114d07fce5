/**
 * For every `Queue` that only adds or removes jobs. By default BullMQ asks Redis for its version when a queue is opened, and keeps a failure for as
 * long as the process lives: a queue that was opened while Redis was away would never work.
 */
export const OPENS_WITHOUT_REDIS = { skipVersionCheck: true, skipWaitingForReady: true } as const;
