import type { Redis } from '@mailhook/platform/redis';
import { StoreConflictError } from '@mailhook/core';
import type { StoredProducerToken, StoredToken } from '@mailhook/core';
import type { StoreKeys } from './keys.ts';
import { runAll } from './run-all.ts';

export function tokenMethods(redis: Redis, keys: StoreKeys) {
  return {
    createToken: async (token: StoredToken) => {
      const taken = await redis.hexists(keys.tokens, token.tokenHash);
      if (taken === 1) throw new StoreConflictError('this token is in use');
      await runAll(
        redis
          .multi()
          .hsetnx(keys.tokens, token.tokenHash, JSON.stringify(token))
          .hset(keys.accountTokens(token.account), token.id, token.tokenHash),
      );
    },
    findToken: async (tokenHash: string) => {
      const found = await redis.hget(keys.tokens, tokenHash);
      return found === null ? undefined : (JSON.parse(found) as StoredToken);
    },
    listTokens: async (account: string) => {
      const hashes = await redis.hvals(keys.accountTokens(account));
      const found = hashes.length === 0 ? [] : await redis.hmget(keys.tokens, ...hashes);
      return found
        .filter((text) => text !== null)
        .map((text) => JSON.parse(text) as StoredToken)
        .sort(byAge);
    },
    deleteToken: async (account: string, id: string) => {
      const tokenHash = await redis.hget(keys.accountTokens(account), id);
      if (tokenHash === null) return false;
      await runAll(redis.multi().hdel(keys.tokens, tokenHash).hdel(keys.accountTokens(account), id));
      return true;
    },
    listProducerTokens: async () =>
      (await redis.hvals(keys.producerTokens)).map((text) => JSON.parse(text) as StoredProducerToken).sort(byAge),
    createProducerToken: async (token: StoredProducerToken) => {
      await redis.hset(keys.producerTokens, token.id, JSON.stringify(token));
    },
    deleteProducerToken: async (id: string) => (await redis.hdel(keys.producerTokens, id)) === 1,
  };
}

const byAge = (a: { readonly createdAt: string }, b: { readonly createdAt: string }): number =>
  a.createdAt < b.createdAt ? -1 : 1;
