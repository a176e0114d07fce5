import type { Redis } from '@mailhook/platform/redis';
import type { StoredDestinationSettings } from '@mailhook/core';
import { updateRecord } from './compare-and-set.ts';
import type { StoreKeys } from './keys.ts';

export const destinationSettingsMethods = (redis: Redis, keys: StoreKeys) => ({
  listDestinationSettings: async (account: string) =>
    (await redis.hvals(keys.destinationSettings(account))).map((text) => JSON.parse(text) as StoredDestinationSettings),
  putDestinationSettings: async (settings: StoredDestinationSettings) => {
    const { account, destination, version } = settings;
    const place = { key: keys.destinationSettings(account), field: destination };
    const { after } = await updateRecord(redis, place, (current) => {
      const stored = current === null ? 0 : (JSON.parse(current) as StoredDestinationSettings).version;
      return stored === version - 1 ? JSON.stringify(settings) : undefined;
    });
    return after !== undefined;
  },
});
