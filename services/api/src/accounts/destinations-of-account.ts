import { campaignDestinationId, destinationIdOf, KINDS } from '@mailhook/core';
import type { Destination, EventModule } from '@mailhook/core';

/** Where events of an account may be, with its webhook `campaign` also while that has no address. Ids may be public. */
export const destinationsOfAccount = (
  account: string,
  known: readonly { readonly id: string; readonly module: EventModule }[],
): Pick<Destination, 'id' | 'kind'>[] => {
  const campaign = campaignDestinationId(account);
  const all = known.map(({ id, module }) => ({ id: destinationIdOf(account, id), kind: KINDS[module] }));
  return [{ id: campaign, kind: 'campaign' }, ...all.filter(({ id }) => id !== campaign)];
};
