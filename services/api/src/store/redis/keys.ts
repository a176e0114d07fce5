/** Names of the store's keys. One hash tag keeps them in one slot, so that one script may use several on a cluster. */
export function storeKeys(prefix: string) {
  const root = `{${prefix}:store}`;
  return {
    /** A line with what `WRITE` reads, and a line with the account. Both are JSON. */
    account: (id: string) => `${root}:account:${id}`,
    /** Sorted set of account ids, all with score 0, for lexical paging. */
    accounts: `${root}:accounts`,
    /** Sorted set of account ids by the time of creation, in Unix milliseconds. */
    accountsByAge: `${root}:accounts-by-age`,
    /** Hash: account id -> deletion. */
    deletions: `${root}:deletions`,
    /** Hash: token hash -> account id. */
    tokens: `${root}:tokens`,
    /** Hash: destination id -> account id. */
    destinations: `${root}:destinations`,
    /** The id of the last comparison with the workers' registry. */
    comparison: `${root}:comparison`,
    /** Hash: token id -> producer token. */
    producerTokens: `${root}:producer-tokens`,
  };
}

export type StoreKeys = ReturnType<typeof storeKeys>;
