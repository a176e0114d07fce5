import type { Installation } from './installation.ts';
import type { EngineKeys } from './keys.ts';
import { hasRecord } from './records.ts';

/**
 * The keys of the shard that has a destination's record, by subscription id or `campaign-<account>`. Undefined if none
 * has it.
 */
export async function findKeys(installation: Installation, destination: string): Promise<EngineKeys | undefined> {
  const account = /^campaign-(.+)$/.exec(destination)?.[1];
  // A subscription's id does not contain its account, so the destination may be in any shard.
  const places =
    account === undefined ? installation.allKeys(['transactional']) : [installation.keysOf(account, 'campaign')];
  const found = await Promise.all(places.map((keys) => hasRecord(installation.redis, keys, destination)));
  return places[found.indexOf(true)];
}
