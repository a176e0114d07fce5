import type { RequestHandler, Router } from 'express';
import { addToken, removeToken, tokenInput, TOKENS_MAX } from '@mailhook/core';
import type { Store, StoredAccount } from '@mailhook/core';
import {
  addRoute,
  invalid,
  optionalBody,
  parseOrThrow,
  pathParameter,
  ProblemError,
} from '@mailhook/platform/http-server';
import { changeAccount } from '../accounts/change-account.ts';
import type { ChangeBus } from '../accounts/change-bus.ts';
import type { TokenUses } from '../accounts/token-uses.ts';
import { endOf, hashToken, newAccessToken, newId } from '../accounts/tokens.ts';
import type { TokenDirectory } from '../accounts/token-directory.ts';
import { unknownAccount } from './accounts-overview.ts';

export interface TokenRoutesDeps {
  readonly store: Store;
  readonly tokens: Pick<TokenDirectory, 'forget'>;
  readonly tokenUses: Pick<TokenUses, 'read'>;
  readonly bus: Pick<ChangeBus, 'publish'>;
}

/** The part of the admin API for the access tokens of customers. */
export function addTokenRoutes(
  router: Router,
  before: readonly RequestHandler[],
  { store, tokens, tokenUses, bus }: TokenRoutesDeps,
): void {
  const accountOf = async (request: Parameters<RequestHandler>[0]): Promise<StoredAccount> => {
    const account = await store.load(pathParameter(request, 'account'));
    if (account === undefined) throw unknownAccount();
    return account;
  };
  const create: RequestHandler = async (request, response) => {
    const { label = '', access = 'manage', ...input } = parseOrThrow(tokenInput, optionalBody(request.body));
    const expiresAt = endOf(input.expiresAt);
    const { id: account } = await accountOf(request);
    const [id, token] = [newId(), newAccessToken()];
    const createdAt = new Date().toISOString();
    const stored = { id, tokenHash: hashToken(token), label, access, createdAt, expiresAt };
    if ((await changeAccount(store, account, (before) => addToken(before, stored))) === undefined) {
      const message = `has ${TOKENS_MAX} tokens already, the most there may be: revoke one that is not used`;
      throw invalid([{ path: 'account', message }]);
    }
    response.status(201).json({ id, token });
  };
  const list: RequestHandler = async (request, response) => {
    const account = await accountOf(request);
    const uses = await tokenUses.read(account.id);
    const items = account.tokens.map(({ id, label, access, createdAt, expiresAt }) => ({
      id,
      label,
      access,
      createdAt,
      expiresAt,
      lastUsedAt: uses.get(id) ?? null,
    }));
    response.json({ items });
  };
  const remove: RequestHandler = async (request, response) => {
    const id = pathParameter(request, 'token');
    const account = pathParameter(request, 'account');
    const removed = await changeAccount(store, account, (stored) => removeToken(stored, id), { evenWhenFull: true });
    if (removed === undefined)
      throw new ProblemError('not_found', { detail: 'This account has no token with this id.' });
    tokens.forget(id);
    await bus.publish({ revokedToken: id });
    response.json({ success: true });
  };
  const path = '/admin/accounts/:account/tokens';
  addRoute(router, path, { get: [...before, list], post: [...before, create] });
  addRoute(router, `${path}/:token`, { delete: [...before, remove] });
}
