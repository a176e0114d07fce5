import type { RequestHandler, Router } from 'express';
import { accountInput, deadLetterFilter, pageQuery, tokenInput, withoutQuotations } from '@mailhook/core';
import type { Store } from '@mailhook/core';
import type { DeadLetterBox } from '@mailhook/delivery';
import { addRoute, parseOrThrow, pathParameter, ProblemError } from '@mailhook/platform/http-server';
import type { ChangeBus } from '../accounts/change-bus.ts';
import type { RoutingTable } from '../accounts/routing-table.ts';
import { hashToken, newId, newToken } from '../accounts/tokens.ts';
import type { TokenDirectory } from '../accounts/tokens.ts';
import type { Discard } from './discard.ts';

export interface AdminDeps {
  readonly store: Store;
  readonly routing: Pick<RoutingTable, 'invalidate'>;
  readonly tokens: Pick<TokenDirectory, 'forget'>;
  readonly bus: Pick<ChangeBus, 'publish'>;
  readonly deadLetters: DeadLetterBox;
  readonly discard: Discard;
}

/** Adds the admin API for accounts, their tokens, and the dead letters of all accounts. */
export function addAdminRoutes(router: Router, before: readonly RequestHandler[], deps: AdminDeps): void {
  addRoute(router, '/admin/accounts', { get: [...before, listAccounts(deps)], post: [...before, createAccount(deps)] });
  addRoute(router, '/admin/accounts/:account/tokens', { post: [...before, createToken(deps)] });
  addRoute(router, '/admin/accounts/:account/tokens/:token', { delete: [...before, deleteToken(deps)] });
  addRoute(router, '/admin/dead-letters', { get: [...before, listDeadLetters(deps)] });
  addRoute(router, '/admin/dead-letters/redrive', { post: [...before, redrive(deps)] });
  addRoute(router, '/admin/dead-letters/discard', { post: [...before, discardDeadLetters(deps)] });
}

const createAccount =
  ({ store, routing }: AdminDeps): RequestHandler =>
  async (request, response) => {
    const { name } = parseOrThrow(accountInput, request.body);
    const account = { id: `acc_${newId()}`, name };
    await store.createAccount(account);
    // An earlier lookup of this id may have cached that the account does not exist.
    routing.invalidate(account.id);
    response.status(201).json(account);
  };

const listAccounts =
  ({ store }: AdminDeps): RequestHandler =>
  async (request, response) => {
    const { limit, cursor } = parseOrThrow(pageQuery, request.query);
    const found = await store.listAccounts({ limit: limit + 1, after: cursor });
    const items = found.slice(0, limit);
    const last = items.at(-1);
    response.json({ items, ...(found.length > limit && last !== undefined ? { nextCursor: last.id } : {}) });
  };

const createToken =
  ({ store }: AdminDeps): RequestHandler =>
  async (request, response) => {
    const { label = '' } = parseOrThrow(tokenInput, request.body ?? {});
    const account = await store.findAccount(pathParameter(request, 'account'));
    if (account === undefined) throw new ProblemError('not_found', { detail: 'There is no account with this id.' });
    const token = newToken();
    const id = newId();
    const createdAt = new Date().toISOString();
    await store.createToken({ id, account: account.id, tokenHash: hashToken(token), label, createdAt });
    response.status(201).json({ id, token });
  };

const deleteToken =
  ({ store, tokens, bus }: AdminDeps): RequestHandler =>
  async (request, response) => {
    const id = pathParameter(request, 'token');
    const isDeleted = await store.deleteToken(pathParameter(request, 'account'), id);
    if (!isDeleted) throw new ProblemError('not_found', { detail: 'This account has no token with this id.' });
    tokens.forget(id);
    await bus.publish({ revokedToken: id });
    response.json({ success: true });
  };

const listDeadLetters =
  ({ deadLetters }: AdminDeps): RequestHandler =>
  async (request, response) => {
    const page = await deadLetters.list({}, parseOrThrow(pageQuery, request.query));
    response.json({ ...page, items: page.items.map((one) => ({ ...one, error: withoutQuotations(one.error) })) });
  };

const redrive =
  ({ deadLetters }: AdminDeps): RequestHandler =>
  async (request, response) => {
    const filter = parseOrThrow(deadLetterFilter, request.body ?? {});
    response.status(202).json(await deadLetters.redrive(filter));
  };

const discardDeadLetters =
  ({ discard }: AdminDeps): RequestHandler =>
  async (request, response) => {
    response.json(await discard(request.body));
  };
