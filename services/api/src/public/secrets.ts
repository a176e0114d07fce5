import type { RequestHandler, Router } from 'express';
import { SIGNING_SECRETS_MAX } from '@mailhook/core';
import type { Store } from '@mailhook/core';
import { addRoute, pathParameter, ProblemError } from '@mailhook/platform/http-server';
import type { AccountWriter } from '../accounts/account-writer.ts';
import { newId, newSigningSecret } from '../accounts/tokens.ts';
import { accountOf } from './authenticate.ts';

interface SecretsDeps {
  readonly store: Store;
  readonly writer: AccountWriter;
}

const PATH = '/v3/webhook/secrets';

/** The account's signing secrets: shown once, two at a time, so that one can be replaced while both sign. */
export function addSecretRoutes(router: Router, before: readonly RequestHandler[], deps: SecretsDeps): void {
  addRoute(router, PATH, { get: [...before, list(deps)], post: [...before, create(deps)] });
  addRoute(router, `${PATH}/:id`, { delete: [...before, remove(deps)] });
}

/** Every destination of the account signs with them. */
const everywhere = { saves: () => true };

const list =
  ({ store }: SecretsDeps): RequestHandler =>
  async (_request, response) => {
    const secrets = await store.listSecrets(accountOf(response));
    response.json(secrets.map(({ id, createdAt }) => ({ id, createdAt })));
  };

const create =
  ({ store, writer }: SecretsDeps): RequestHandler =>
  async (_request, response) => {
    const account = accountOf(response);
    const created = { id: newId(), secret: newSigningSecret(), createdAt: new Date().toISOString() };
    await writer.write(
      account,
      () => store.createSecret(account, created, SIGNING_SECRETS_MAX),
      () => everywhere,
    );
    response.status(201).json({ id: created.id, secret: created.secret });
  };

const remove =
  ({ store, writer }: SecretsDeps): RequestHandler =>
  async (request, response) => {
    const account = accountOf(response);
    const isRemoved = await writer.write(
      account,
      () => store.deleteSecret(account, pathParameter(request, 'id')),
      (found) => (found ? everywhere : undefined),
    );
    if (!isRemoved) throw new ProblemError('not_found', { detail: 'This account has no signing secret with this id.' });
    response.json({ success: true });
  };
