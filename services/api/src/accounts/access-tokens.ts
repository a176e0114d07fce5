import { addToken, removeToken } from '@mailhook/core';
import type { AccessTokens, CodedText, Store, StoredAccount, UsedToken } from '@mailhook/core';
import { invalid, ProblemError } from '@mailhook/platform/http-server';
import { changeAccount } from './change-account.ts';
import type { ChangeBus } from './change-bus.ts';
import type { TokenUses } from './token-uses.ts';
import { endOf, hashToken, newAccessToken, newId } from './tokens.ts';
import type { TokenDirectory } from './token-directory.ts';

export interface AccessTokensDeps {
  readonly store: Store;
  readonly tokens: Pick<TokenDirectory, 'forget'>;
  readonly tokenUses: Pick<TokenUses, 'read'>;
  readonly bus: Pick<ChangeBus, 'publish'>;
}

/** What differs between operators and customers. */
export interface TokenRules {
  readonly max: number;
  readonly tooMany: () => Error;
  readonly unknownAccount: () => Error;
  readonly unknownToken: string | CodedText;
}

export function createAccessTokens(
  { store, tokens, tokenUses, bus }: AccessTokensDeps,
  rules: TokenRules,
): AccessTokens {
  const find = async (id: string): Promise<StoredAccount> => {
    const account = await store.load(id);
    if (account === undefined) throw rules.unknownAccount();
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
    async create(of, { label = '', access = 'manage', ...input }, maker) {
      const expiresAt = endWithin(endOf(input.expiresAt), maker);
      const { id: account } = await find(of);
      const [id, token] = [newId(), newAccessToken()];
      const createdAt = new Date().toISOString();
      const stored = { id, tokenHash: hashToken(token), label, access, createdAt, expiresAt };
      const added = await changeAccount(store, account, (before) => addToken(before, stored, rules.max));
      if (added === undefined) throw rules.tooMany();
      return { id, token };
    },
    async remove(account, id) {
      const removed = await changeAccount(store, account, (stored) => removeToken(stored, id), { evenWhenFull: true });
      if (removed === undefined) throw new ProblemError('not_found', { detail: rules.unknownToken });
      tokens.forget(id);
      await bus.publish({ revokedToken: id });
    },
  };
}

/** Otherwise the finder of a token could make one that outlives it. */
function endWithin(end: string | null, maker: UsedToken | undefined): string | null {
  const latest = maker?.expiresAt ?? null;
  if (latest === null || (end !== null && Date.parse(end) <= Date.parse(latest))) return end;
  if (end === null) return latest;
  throw invalid([
    { path: 'expiresAt', message: `must be ${latest} at the latest, the end of the token that makes it` },
  ]);
}
