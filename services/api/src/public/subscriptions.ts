import type { RequestHandler, Router } from 'express';
import { subscriptionEdit, subscriptionInput } from '@mailhook/core';
import type { Store, Subscription } from '@mailhook/core';
import { addRoute, mustBe, pathParameter, ProblemError } from '@mailhook/platform/http-server';
import type { AccountWriter } from '../accounts/account-writer.ts';
import type { AccountReader } from '../accounts/account-reader.ts';
import { newId } from '../accounts/tokens.ts';
import type { AddressCheck } from './address-check.ts';
import { accountOf } from './authenticate.ts';

interface SubscriptionsDeps {
  readonly store: Store;
  readonly reader: AccountReader;
  readonly writer: AccountWriter;
  readonly checkAddress: AddressCheck;
}

const PATH = '/v3/webhook/subscriptions';

/** Endpoints 1 to 5 of the spec ("Endpoints"). Another account's subscription is not there. */
export function addSubscriptionRoutes(
  router: Router,
  before: readonly RequestHandler[],
  deps: SubscriptionsDeps,
): void {
  addRoute(router, PATH, { get: [...before, list(deps)], post: [...before, create(deps)] });
  addRoute(router, `${PATH}/:id`, {
    get: [...before, read(deps)],
    put: [...before, edit(deps)],
    delete: [...before, remove(deps)],
  });
}

/** Exactly the five keys of the spec. */
const shown = ({ id, address, active, type, module }: Subscription): Subscription => ({
  id,
  address,
  active,
  type,
  module,
});

const gone = (): ProblemError =>
  new ProblemError('not_found', { detail: 'This account has no subscription with this id.' });

const list =
  ({ reader }: SubscriptionsDeps): RequestHandler =>
  async (_request, response) => {
    response.json((await reader.subscriptions(accountOf(response))).map(shown));
  };

const read =
  ({ reader }: SubscriptionsDeps): RequestHandler =>
  async (request, response) => {
    const wanted = pathParameter(request, 'id');
    const found = (await reader.subscriptions(accountOf(response))).find(({ id }) => id === wanted);
    if (found === undefined) throw gone();
    response.json(shown(found));
  };

const create =
  ({ store, writer, checkAddress }: SubscriptionsDeps): RequestHandler =>
  async (request, response) => {
    const input = mustBe(subscriptionInput, request.body);
    checkAddress(input.address);
    const account = accountOf(response);
    const { id } = await writer.write(
      account,
      () => store.createSubscription({ ...input, id: newId(), account, active: true }),
      (created) => ({ saves: (destination) => destination.id === created.id }),
    );
    response.status(201).json({ id });
  };

const edit =
  ({ store, writer, checkAddress }: SubscriptionsDeps): RequestHandler =>
  async (request, response) => {
    const { address, active, type } = mustBe(subscriptionEdit, request.body);
    if (address !== undefined) checkAddress(address);
    const id = pathParameter(request, 'id');
    const account = accountOf(response);
    const edited = await writer.write(
      account,
      () => store.updateSubscription(account, id, { address, active, type }),
      (found) => (found === undefined ? undefined : { saves: (destination) => destination.id === id }),
    );
    if (edited === undefined) throw gone();
    response.json({ success: true });
  };

const remove =
  ({ store, writer }: SubscriptionsDeps): RequestHandler =>
  async (request, response) => {
    const id = pathParameter(request, 'id');
    const account = accountOf(response);
    const removed = await writer.write(
      account,
      () => store.deleteSubscription(account, id),
      (found) =>
        found === undefined ? undefined : { saves: () => false, removed: { id, account, kind: 'transactional' } },
    );
    if (removed === undefined) throw gone();
    response.json({ success: true });
  };
