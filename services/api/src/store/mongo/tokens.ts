import type { StoredProducerToken, StoredToken } from '@mailhook/core';
import type { Models, TokenDocument } from './models.ts';
import { unlessTaken } from './unique.ts';

export function tokenMethods({ tokens, producerTokens }: Models) {
  return {
    createToken: ({ id, ...token }: StoredToken) =>
      unlessTaken('this token', () => tokens.create({ _id: id, ...token })),
    findToken: async (tokenHash: string) => {
      const found = await tokens.findOne({ tokenHash }).lean().exec();
      return found === null ? undefined : tokenOf(found);
    },
    listTokens: async (account: string) => {
      const found = await tokens.find({ account }).sort({ createdAt: 1 }).lean().exec();
      return found.map(tokenOf);
    },
    deleteToken: async (account: string, id: string) =>
      (await tokens.deleteOne({ _id: id, account }).exec()).deletedCount === 1,
    listProducerTokens: async (): Promise<StoredProducerToken[]> => {
      const found = await producerTokens.find().sort({ createdAt: 1 }).lean().exec();
      return found.map(({ _id: id, ...token }) => ({ id, ...token }));
    },
    createProducerToken: async ({ id, ...token }: StoredProducerToken) => {
      await producerTokens.create({ _id: id, ...token, accounts: token.accounts && [...token.accounts] });
    },
    deleteProducerToken: async (id: string) => (await producerTokens.deleteOne({ _id: id }).exec()).deletedCount === 1,
  };
}

const tokenOf = ({ _id: id, ...token }: TokenDocument): StoredToken => ({ id, ...token });
