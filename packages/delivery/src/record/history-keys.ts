import { shardOf } from '@mailhook/core';
import { engineKeys } from '../mailbox/keys.ts';

export const HOUR_MS = 3_600_000;

/** 24 hours and the current hour. */
export const HISTORY_KEPT_S = 25 * 3600;

/** Key of the hash of one account and hour. Its field `<destination>:d` counts delivered events, `<destination>:f` failed ones. */
export function historyKey(queuePrefix: string, shards: number, account: string, hour: number): string {
  return engineKeys(queuePrefix, shardOf(account, shards), 'campaign').history(account, hour);
}

export const deliveredField = (destination: string): string => `${destination}:d`;
export const failedField = (destination: string): string => `${destination}:f`;
