import { campaignDestinationId } from '@mailhook/core';
import type { FoundDestination, StoreMatches } from '@mailhook/core';
import type { Query } from 'mongoose';
import type { Models } from './models.ts';

/** MongoDB's error for an operation that exceeded its time. */
const MAX_TIME_EXPIRED = 50;

interface Bounds {
  readonly limit: number;
  readonly withinMs: number;
}

/**
 * See `AccountStore.search`. Ids are looked up by their index. Names and addresses are compared one by one, on the
 * server.
 */
export const searchMethod =
  ({ accounts, subscriptions, campaigns }: Models) =>
  async (text: string, bounds: Bounds): Promise<StoreMatches> => {
    const pattern = new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`), 'i');
    const owner = /^campaign-(.+)$/.exec(text)?.[1];
    const [byId, byName, bySubscription, byAddress, byCampaign, byCampaignAddress] = await Promise.all([
      accounts.find({ _id: text }).lean().exec(),
      bounded(accounts.find({ name: pattern }).lean(), bounds),
      subscriptions.find({ _id: text }).lean().exec(),
      bounded(subscriptions.find({ address: pattern }).lean(), bounds),
      owner === undefined
        ? []
        : campaigns
            .find({ _id: owner, address: { $ne: null } })
            .lean()
            .exec(),
      bounded(campaigns.find({ address: pattern }).lean(), bounds),
    ]);
    const destinations: FoundDestination[] = [
      ...[...byCampaign, ...byCampaignAddress.found].map(({ _id, address }) => ({
        account: _id,
        id: campaignDestinationId(_id),
        kind: 'campaign' as const,
        address: address ?? '',
      })),
      ...[...bySubscription, ...byAddress.found].map(({ _id, account, address }) => ({
        account,
        id: _id,
        kind: 'transactional' as const,
        address,
      })),
    ];
    return {
      accounts: unique([...byId, ...byName.found].map(({ _id, name }) => ({ id: _id, name }))).slice(0, bounds.limit),
      destinations: unique(destinations).slice(0, bounds.limit),
      isComplete: [byName, byAddress, byCampaignAddress].every(({ isComplete }) => isComplete),
    };
  };

const unique = <Item extends { readonly id: string }>(items: readonly Item[]): Item[] => [
  ...new Map(items.map((item) => [item.id, item])).values(),
];

async function bounded<Found>(
  query: Query<Found[], unknown>,
  { limit, withinMs }: Bounds,
): Promise<{ readonly found: readonly Found[]; readonly isComplete: boolean }> {
  try {
    const found = await query
      .limit(limit + 1)
      .maxTimeMS(withinMs)
      .exec();
    return { found: found.slice(0, limit), isComplete: found.length <= limit };
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== MAX_TIME_EXPIRED) throw error;
    return { found: [], isComplete: false };
  }
}
