import { campaignDestinationId } from '@mailhook/core';
import type { Installation } from './installation.ts';
import type { EngineKeys } from './keys.ts';
import { hasRecord } from './records.ts';

/** The keys of the shard and mechanism that have a destination's record. Undefined if none has it. */
export async function findKeys(installation: Installation, destination: string): Promise<EngineKeys | undefined> {
  const places = placesOf(installation, destination);
  const found = await Promise.all(places.map((keys) => hasRecord(installation.redis, keys, destination)));
  return places[found.indexOf(true)];
}

/** Where a destination's record may be. Only the id of an account's webhook `campaign` contains its account. */
export function placesOf(installation: Installation, destination: string): readonly EngineKeys[] {
  const start = campaignDestinationId('');
  return destination.startsWith(start)
    ? [installation.keysOf(destination.slice(start.length), 'campaign')]
    : installation.allKeys();
}
