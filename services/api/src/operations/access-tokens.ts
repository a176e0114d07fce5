import { addToken, removeToken, TOKENS_MAX } from '@mailhook/core';
import type { Store, StoredAccount, OperatorServices } from '@mailhook/core';
import { invalid, ProblemError } from '@mailhook/platform/http-server';
import { changeAccount } from '../accounts/change-account.ts';
import type { ChangeBus } from '../accounts/change-bus.ts';
import type { TokenUses } from '../accounts/token-uses.ts';
import { endOf, hashToken, newAccessToken, newId } from '../accounts/tokens.ts';
import type { TokenDirectory } from '../accounts/token-directory.ts';
import { unknownAccount } from './accounts-overview.ts';

interface AccessTokensDeps {
  readonly store: Store;
  readonly tokens: Pick<TokenDirectory, 'forget'>;
  readonly tokenUses: Pick<TokenUses, 'read'>;
  readonly bus: Pick<ChangeBus, 'publish'>;
}

export function createAccessTokens({ store, tokens, tokenUses, bus }: AccessTokensDeps): OperatorServices['tokens'] {
  const find = async (id: string): Promise<StoredAccount> => {
    const account = await store.load(id);
    if (account === undefined) throw unknownAccount();
    return account;
  };
  return {
    async list(id) {
      const account = await find(id);
      const uses = await tokenUses.read(account.id);
      return account.tokens.map(({ id, label, access, createdAt, expiresAt }) => ({
        id,
        label,
        access,
        createdAt,
        expiresAt,
        lastUsedAt: uses.get(id) ?? null,
      }));
    },
    async create(of, { label = '', access = 'manage', ...input }) {
      const expiresAt = endOf(input.expiresAt);
      const { id: account } = await find(of);
      const [id, token] = [newId(), newAccessToken()];
      const createdAt = new Date().toISOString();
      const stored = { id, tokenHash: hashToken(token), label, access, createdAt, expiresAt };
      if ((await changeAccount(store, account, (before) => addToken(before, stored))) === undefined) {
        const message = `has ${TOKENS_MAX} tokens already, the most there may be: revoke one that is not used`;
        throw invalid([{ path: 'account', message }]);
      }
      return { id, token };
    },
    async remove(account, id) {
      const removed = await changeAccount(store, account, (stored) => removeToken(stored, id), { evenWhenFull: true });
      if (removed === undefined)
        throw new ProblemError('not_found', { detail: 'This account has no token with this id.' });
      tokens.forget(id);
      await bus.publish({ revokedToken: id });
    },
  };
}
