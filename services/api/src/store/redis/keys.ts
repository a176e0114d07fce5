/**
 * Names of the store's keys. One hash tag keeps them in one slot, so that several of them fit in one transaction on a
 * cluster.
 */
export interface StoreKeys {
  /** Sorted set of account ids, all with score 0, for lexical paging. */
  readonly accounts: string;
  /** Sorted set of account ids by the time of creation, in Unix milliseconds. 0 if it is not known. */
  readonly accountsByAge: string;
  /** Hash: account id -> deletion. */
  readonly deletions: string;
  /** Hash: token hash -> token. */
  readonly tokens: string;
  /** Hash: token id -> producer token. */
  readonly producerTokens: string;
  readonly account: (id: string) => string;
  /** Hash: token id -> token hash. */
  readonly accountTokens: (account: string) => string;
  /** One JSON array. */
  readonly secrets: (account: string) => string;
  /** Hash: subscription id -> subscription. */
  readonly subscriptions: (account: string) => string;
  /** Counter of the changes that add a subscription or change its type. */
  readonly subscriptionsRevision: (account: string) => string;
  /** Hash: subscription id or `campaign` -> destination settings. */
  readonly destinationSettings: (account: string) => string;
  readonly campaign: (account: string) => string;
  /** Counter that orders subscriptions by age. */
  readonly sequence: string;
}

export function storeKeys(prefix: string): StoreKeys {
  const root = `{${prefix}:store}`;
  return {
    accounts: `${root}:accounts`,
    accountsByAge: `${root}:accounts-by-age`,
    deletions: `${root}:deletions`,
    tokens: `${root}:tokens`,
    producerTokens: `${root}:producer-tokens`,
    account: (id) => `${root}:account:${id}`,
    accountTokens: (account) => `${root}:account-tokens:${account}`,
    secrets: (account) => `${root}:secrets:${account}`,
    subscriptions: (account) => `${root}:subscriptions:${account}`,
    subscriptionsRevision: (account) => `${root}:subscriptions-revision:${account}`,
    destinationSettings: (account) => `${root}:destination-settings:${account}`,
    campaign: (account) => `${root}:campaign:${account}`,
    sequence: `${root}:subscription-sequence`,
  };
}
