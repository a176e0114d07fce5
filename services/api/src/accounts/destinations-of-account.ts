import { campaignDestinationId, KINDS } from '@mailhook/core';
import type { Destination, StoredDestination } from '@mailhook/core';

/** Where events of an account may be, with its webhook `campaign` also while that has no address. */
export const destinationsOfAccount = (
  account: string,
  stored: readonly Pick<StoredDestination, 'id' | 'module'>[],
): Pick<Destination, 'id' | 'kind'>[] => {
  const campaign = campaignDestinationId(account);
  const others = stored.filter(({ id }) => id !== campaign);
  return [{ id: campaign, kind: 'campaign' }, ...others.map(({ id, module }) => ({ id, kind: KINDS[module] }))];
};
