import type { Redis } from '@mailhook/platform/redis';
import { StoreConflictError, StoreUnavailableError } from '@mailhook/core';
import type {
  Store,
  StoredCampaignWebhook,
  StoredSecret,
  StoredSubscription,
  SubscriptionChange,
  SubscriptionType,
} from '@mailhook/core';
import { translateStoreErrors } from '../translate-store-errors.ts';
import { subscriptionLimitError } from '../subscription-limit-error.ts';
import { accountMethods } from './accounts.ts';
import { readRecord, updateRecord } from './compare-and-set.ts';
import { destinationSettingsMethods } from './destination-settings.ts';
import { storeKeys } from './keys.ts';
import type { StoreKeys } from './keys.ts';
import { searchMethod } from './search.ts';
import { tokenMethods } from './tokens.ts';

interface RedisStoreDeps {
  /** A fail-fast connection, so that every command fails at once while Redis is down. The caller must close it. */
  readonly redis: Redis;
  readonly prefix: string;
}

/**
 * The default store, in the Redis that Mailhook needs anyway. Its durability depends on the settings of Redis
 * (append-only file).
 */
export function createRedisStore({ redis, prefix }: RedisStoreDeps): Store {
  const keys = storeKeys(prefix);
  const store: Store = {
    ...accountMethods(redis, keys),
    ...tokenMethods(redis, keys),
    ...secretMethods(redis, keys),
    ...subscriptionMethods(redis, keys),
    ...campaignMethods(redis, keys),
    ...destinationSettingsMethods(redis, keys),
    search: searchMethod(redis, keys),
    ping: async () => {
      await redis.ping();
    },
    close: () => Promise.resolve(),
  };
  return translateStoreErrors(
    store,
    (error) => new StoreUnavailableError('the store (Redis) cannot be reached', { cause: error }),
  );
}

function secretMethods(redis: Redis, keys: StoreKeys) {
  const parseList = (text: string | null): StoredSecret[] =>
    text === null ? [] : (JSON.parse(text) as StoredSecret[]);
  return {
    createSecret: async (account: string, secret: StoredSecret, max: number) => {
      await updateRecord(redis, { key: keys.secrets(account) }, (current) => {
        const secrets = parseList(current);
        if (secrets.length >= max) throw new StoreConflictError(`the account has ${max} signing secrets already`);
        return JSON.stringify([...secrets, secret]);
      });
    },
    listSecrets: async (account: string) => parseList(await redis.get(keys.secrets(account))),
    deleteSecret: async (account: string, id: string) => {
      const { after } = await updateRecord(redis, { key: keys.secrets(account) }, (current) => {
        const secrets = parseList(current);
        const left = secrets.filter((secret) => secret.id !== id);
        if (left.length === secrets.length) return undefined;
        return left.length === 0 ? null : JSON.stringify(left);
      });
      return after !== undefined;
    },
    resealSecret: async (account: string, id: string, from: string, to: string) => {
      await updateRecord(redis, { key: keys.secrets(account) }, (current) => {
        const secrets = parseList(current);
        if (!secrets.some((one) => one.id === id && one.secret === from)) return undefined;
        return JSON.stringify(secrets.map((one) => (one.id === id ? { ...one, secret: to } : one)));
      });
    },
  };
}

type OrderedSubscription = StoredSubscription & { readonly order: number };

/** The record as `Store` returns it. */
function withoutOrder(record: OrderedSubscription): StoredSubscription {
  const { id, account, address, active, type, module, version } = record;
  return { id, account, address, active, type, module, version };
}

function subscriptionMethods(redis: Redis, keys: StoreKeys) {
  const placeOf = (account: string, id: string) => ({ key: keys.subscriptions(account), field: id });
  const list = async (account: string): Promise<OrderedSubscription[]> =>
    (await redis.hvals(keys.subscriptions(account))).map((text) => JSON.parse(text) as OrderedSubscription);
  const checkRoom = async (account: string, type: SubscriptionType, maxOfType: number | undefined): Promise<void> => {
    if (maxOfType === undefined) return;
    const ofType = (await list(account)).filter((record) => record.type === type);
    if (ofType.length >= maxOfType) throw subscriptionLimitError(type, maxOfType);
  };
  return {
    createSubscription: async (input: Omit<StoredSubscription, 'version'>, maxOfType?: number) => {
      const subscription: StoredSubscription = { ...input, version: 1 };
      const order = await redis.incr(keys.sequence);
      const create = async (current: string | null): Promise<string> => {
        if (current !== null) throw new StoreConflictError('this subscription id is in use');
        await checkRoom(input.account, input.type, maxOfType);
        return JSON.stringify({ ...subscription, order });
      };
      const revision = keys.subscriptionsRevision(input.account);
      await updateRecord(redis, placeOf(input.account, input.id), create, { revision });
      return subscription;
    },
    listSubscriptions: async (account: string) => {
      const records = await list(account);
      return records.sort((a, b) => a.order - b.order).map(withoutOrder);
    },
    findSubscription: async (account: string, id: string) => {
      const found = await readRecord(redis, placeOf(account, id));
      return found === null ? undefined : withoutOrder(JSON.parse(found) as OrderedSubscription);
    },
    updateSubscription: async (
      account: string,
      id: string,
      change: SubscriptionChange,
      {
        ifVersion,
        maxOfType,
      }: { readonly ifVersion?: number | undefined; readonly maxOfType?: number | undefined } = {},
    ) => {
      const decide = async (current: string | null): Promise<string | undefined> => {
        if (current === null) return undefined;
        const record = JSON.parse(current) as OrderedSubscription;
        if (ifVersion !== undefined && record.version !== ifVersion) return undefined;
        const { type = record.type } = change;
        if (type !== record.type) await checkRoom(account, type, maxOfType);
        return JSON.stringify({ ...record, ...present(change), version: record.version + 1 });
      };
      const revision = change.type === undefined ? undefined : keys.subscriptionsRevision(account);
      const options = { revision, evenWhenFull: change.active === false };
      const { after } = await updateRecord(redis, placeOf(account, id), decide, options);
      return typeof after === 'string' ? withoutOrder(JSON.parse(after) as OrderedSubscription) : undefined;
    },
    deleteSubscription: async (account: string, id: string) => {
      const { before } = await updateRecord(redis, placeOf(account, id), removal, { evenWhenFull: true });
      return before === null ? undefined : withoutOrder(JSON.parse(before) as OrderedSubscription);
    },
  };
}

const removal = (current: string | null): null | undefined => (current === null ? undefined : null);

const present = (change: object): object =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));

function campaignMethods(redis: Redis, keys: StoreKeys) {
  const unset = (account: string): StoredCampaignWebhook => ({
    account,
    address: null,
    active: false,
    inactiveReason: null,
    version: 0,
  });
  const read = (account: string, text: string | null) =>
    text === null ? unset(account) : (JSON.parse(text) as StoredCampaignWebhook);
  return {
    getCampaignWebhook: async (account: string) => read(account, await redis.get(keys.campaign(account))),
    putCampaignWebhook: async (
      account: string,
      setting: Pick<StoredCampaignWebhook, 'address' | 'active' | 'inactiveReason'>,
      ifVersion?: number,
    ) => {
      const decide = (current: string | null): string | undefined => {
        const { version } = read(account, current);
        if (ifVersion !== undefined && version !== ifVersion) return undefined;
        return JSON.stringify({ account, ...setting, version: version + 1 });
      };
      const options = { evenWhenFull: !setting.active };
      const { after } = await updateRecord(redis, { key: keys.campaign(account) }, decide, options);
      return typeof after === 'string' ? (JSON.parse(after) as StoredCampaignWebhook) : undefined;
    },
  };
}
