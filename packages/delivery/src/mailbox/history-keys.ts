import type { UnroutedType } from '@mailhook/core';

export const HOUR_MS = 3_600_000;

/** 24 hours and the current hour. */
export const HISTORY_KEPT_S = 25 * 3600;

/**
 * Fields of the hash of one account and hour: delivered events, attempts that delivered all of their events, the other
 * attempts, and events that were left out of acknowledgements.
 */
export const historyFields = (destination: string) => ({
  events: `${destination}:d`,
  delivered: `${destination}:ok`,
  failed: `${destination}:ko`,
  unconfirmed: `${destination}:un`,
});

/** Stands for a destination in the counts. No destination has such an id. */
export const unroutedId = (account: string, type: UnroutedType): string => `none:${type}:${account}`;
