import type { StoredDestinationSettings } from '@mailhook/core';
import type { Models } from './models.ts';
import { isDuplicate } from './unique.ts';

export const destinationSettingsMethods = ({ destinationSettings }: Models) => ({
  listDestinationSettings: async (account: string): Promise<StoredDestinationSettings[]> => {
    const found = await destinationSettings.find({ account }).lean().exec();
    return found.map(({ destination, origin, headers, maxRequestsPerSecond, secrets, version }) => ({
      account,
      destination,
      origin,
      headers: JSON.parse(headers) as Record<string, string>,
      maxRequestsPerSecond,
      secrets: secrets.map(({ id, secret, createdAt }) => ({ id, secret, createdAt })),
      version,
    }));
  },
  putDestinationSettings: async ({ headers, secrets, ...settings }: StoredDestinationSettings) => {
    const _id = `${settings.account} ${settings.destination}`;
    const document = { ...settings, headers: JSON.stringify(headers), secrets: [...secrets] };
    if (settings.version > 1) {
      const former = { _id, version: settings.version - 1 };
      return (await destinationSettings.updateOne(former, { $set: document }).exec()).modifiedCount === 1;
    }
    try {
      await destinationSettings.create({ _id, ...document });
      return true;
    } catch (error) {
      if (isDuplicate(error)) return false;
      throw error;
    }
  },
});
