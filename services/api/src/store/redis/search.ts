import { campaignDestinationId } from '@mailhook/core';
import type {
  Account,
  FoundDestination,
  StoreMatches,
  StoredCampaignWebhook,
  StoredSubscription,
} from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import type { StoreKeys } from './keys.ts';

/** Accounts read at once, with all their settings: a few MB at most. */
const PAGE = 500;

interface Found {
  readonly accounts: Account[];
  readonly destinations: FoundDestination[];
}

/**
 * See `AccountStore.search`. There is no index by name or address, so it reads the accounts in order of id, page by
 * page.
 */
export const searchMethod =
  (redis: Redis, keys: StoreKeys) =>
  async (
    text: string,
    { limit, withinMs }: { readonly limit: number; readonly withinMs: number },
  ): Promise<StoreMatches> => {
    const endsAtMs = performance.now() + withinMs;
    // First, because the time may not suffice for all accounts.
    let found = await findIn(redis, keys, [text.replace(/^campaign-/, '')], text);
    for (let after = '-'; ;) {
      const ids = await redis.zrange(keys.accounts, after, '+', 'BYLEX', 'LIMIT', 0, PAGE);
      const more = await findIn(redis, keys, ids, text);
      // Only one match beyond the limit is of use.
      found = {
        accounts: unique([...found.accounts, ...more.accounts]).slice(0, limit + 1),
        destinations: unique([...found.destinations, ...more.destinations]).slice(0, limit + 1),
      };
      const { accounts, destinations } = found;
      const isLast = ids.length < PAGE;
      const isFull = accounts.length > limit && destinations.length > limit;
      if (isLast || isFull || performance.now() > endsAtMs) {
        const isComplete = isLast && accounts.length <= limit && destinations.length <= limit;
        return { accounts: accounts.slice(0, limit), destinations: destinations.slice(0, limit), isComplete };
      }
      after = `(${ids.at(-1) ?? ''}`;
    }
  };

const unique = <Item extends { readonly id: string }>(items: readonly Item[]): Item[] => [
  ...new Map(items.map((item) => [item.id, item])).values(),
];

/** Searches some accounts. Most records are not parsed, because their text shows that they do not match. */
async function findIn(redis: Redis, keys: StoreKeys, ids: readonly string[], text: string): Promise<Found> {
  if (ids.length === 0) return { accounts: [], destinations: [] };
  const part = text.toLowerCase();
  const escaped = JSON.stringify(part).slice(1, -1);
  const mayMatch = (record: string | null): record is string => record?.toLowerCase().includes(escaped) === true;
  const pipeline = redis.pipeline();
  for (const id of ids) pipeline.hvals(keys.subscriptions(id));
  const [records, campaigns, subscriptions] = await Promise.all([
    redis.mget(ids.map(keys.account)),
    redis.mget(ids.map(keys.campaign)),
    pipeline.exec(),
  ]);
  const own = (subscriptions ?? []).flatMap(([error, texts]) => {
    if (error !== null) throw error;
    return texts as string[];
  });
  const matches = ({ id, address }: FoundDestination): boolean => id === text || address.toLowerCase().includes(part);
  return {
    accounts: records
      .filter(mayMatch)
      .map((record) => JSON.parse(record) as Account)
      .map(({ id, name }) => ({ id, name }))
      .filter(({ id, name }) => id === text || name.toLowerCase().includes(part)),
    destinations: [
      // The id of a campaign webhook is not in its record.
      ...campaigns.flatMap((record, i) => {
        const isAsked = record !== null && campaignDestinationId(ids[i] ?? '') === text;
        return isAsked || mayMatch(record) ? [campaignOf(JSON.parse(record) as StoredCampaignWebhook)] : [];
      }),
      ...own.filter(mayMatch).map((record) => subscriptionOf(JSON.parse(record) as StoredSubscription)),
    ].filter((one) => one.address !== '' && matches(one)),
  };
}

const campaignOf = ({ account, address }: StoredCampaignWebhook): FoundDestination => ({
  account,
  id: campaignDestinationId(account),
  kind: 'campaign',
  address: address ?? '',
});

const subscriptionOf = ({ account, id, address }: StoredSubscription): FoundDestination => ({
  account,
  id,
  kind: 'transactional',
  address,
});
