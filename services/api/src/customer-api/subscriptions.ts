import { isDeepStrictEqual } from 'node:util';
import type { RequestHandler, Router } from 'express';
import { subscriptionEdit, subscriptionInput, SUBSCRIPTIONS_PER_TYPE_MAX } from '@mailhook/core';
import type { Store, Subscription } from '@mailhook/core';
import { addRoute, parseOrThrow, pathParameter, ProblemError } from '@mailhook/platform/http-server';
import type { DestinationRegistry } from '@mailhook/delivery';
import type { AccountWriter } from '../accounts/account-writer.ts';
import type { AccountReader } from '../accounts/account-reader.ts';
import { newId } from '../accounts/tokens.ts';
import type { SavedAddressCheck } from './address-check.ts';
import { noteUnchanged } from '../audit/audit-requests.ts';
import { accountOf } from '../auth/authenticate.ts';

interface SubscriptionsDeps {
  readonly store: Store;
  readonly reader: AccountReader;
  readonly writer: AccountWriter;
  readonly checkSavedAddress: SavedAddressCheck;
  readonly registry: Pick<DestinationRegistry, 'countDeleted'>;
}

/**
 * An account's operations on its subscriptions. Bodies are unchecked input. Another account's subscription is a 404.
 */
export interface Subscriptions {
  /** Oldest first. */
  list(account: string): Promise<Subscription[]>;
  read(account: string, id: string): Promise<Subscription>;
  /**
   * Rejects with StoreConflictError if the account has too many of this type. So does `edit`, when it changes the type.
   * Rejects with a 429 after 10,000 deletions.
   */
  create(account: string, body: unknown): Promise<CreatedSubscription>;
  /** Calls `onUnchanged` if the subscription was like that before. */
  edit(account: string, id: string, body: unknown, onUnchanged: () => void): Promise<void>;
  remove(account: string, id: string): Promise<void>;
}

interface CreatedSubscription {
  readonly id: string;
  /** An earlier subscription of the account with the same address and type, which gets the same events. */
  readonly duplicateOf?: string | undefined;
}

export const createSubscriptions = (deps: SubscriptionsDeps): Subscriptions => ({
  list: async (account) => (await deps.reader.subscriptions(account)).map(shown),
  read: async (account, wanted) => {
    const found = (await deps.reader.subscriptions(account)).find(({ id }) => id === wanted);
    if (found === undefined) throw gone();
    return shown(found);
  },
  create: create(deps),
  edit: edit(deps),
  remove: remove(deps),
});

/** Exactly the five documented keys. */
const shown = ({ id, address, active, type, module }: Subscription): Subscription => ({
  id,
  address,
  active,
  type,
  module,
});

const gone = (): ProblemError =>
  new ProblemError('not_found', { detail: 'This account has no subscription with this id.' });

/**
 * Most subscriptions that an account may delete in about a week before it can create no more. Each leaves up to 300
 * bytes in Redis for a week.
 */
const DELETED_MAX = 10_000;

async function refuseAfterManyDeletions(registry: SubscriptionsDeps['registry'], account: string): Promise<void> {
  const { count, leftMs } = await registry.countDeleted(account);
  if (count < DELETED_MAX) return;
  throw new ProblemError('rate_limited', {
    detail: `This account has deleted ${count} subscriptions within a week. Change a subscription instead of creating a new one.`,
    headers: { 'retry-after': String(Math.max(1, Math.ceil(leftMs / 1000))) },
  });
}

const create =
  ({ reader, store, writer, checkSavedAddress, registry }: SubscriptionsDeps): Subscriptions['create'] =>
  async (account, body) => {
    const input = parseOrThrow(subscriptionInput, body);
    await refuseAfterManyDeletions(registry, account);
    await checkSavedAddress(input.address, () => Promise.resolve(undefined));
    // Read first, so that no subscription is created if this fails.
    const existing = await reader.subscriptions(account);
    const { id } = await writer.write(
      account,
      () => store.createSubscription({ ...input, id: newId(), account, active: true }, SUBSCRIPTIONS_PER_TYPE_MAX),
      (created) => ({ saves: (destination) => destination.id === created.id }),
    );
    return { id, duplicateOf: existing.find((one) => one.address === input.address && one.type === input.type)?.id };
  };

const edit =
  ({ store, writer, checkSavedAddress }: SubscriptionsDeps): Subscriptions['edit'] =>
  async (account, id, body, onUnchanged) => {
    const { address, active, type } = parseOrThrow(subscriptionEdit, body);
    if (address !== undefined) {
      await checkSavedAddress(address, async () => (await store.findSubscription(account, id))?.address);
    }
    const change = { address, active, type };
    let before: Subscription | undefined;
    const edited = await writer.write(
      account,
      async () => {
        before = await store.findSubscription(account, id);
        return store.updateSubscription(account, id, change, { maxOfType: SUBSCRIPTIONS_PER_TYPE_MAX });
      },
      (found) => (found === undefined ? undefined : { saves: (destination) => destination.id === id }),
    );
    if (edited === undefined) throw gone();
    if (before !== undefined && isDeepStrictEqual(shown(before), shown(edited))) onUnchanged();
  };

const remove =
  ({ store, writer }: SubscriptionsDeps): Subscriptions['remove'] =>
  async (account, id) => {
    const removed = await writer.write(
      account,
      () => store.deleteSubscription(account, id),
      (found) =>
        found === undefined ? undefined : { saves: () => false, removed: { id, account, kind: 'transactional' } },
    );
    if (removed === undefined) throw gone();
  };

const PATH = '/v3/webhook/subscriptions';

/** Adds the routes that create, list, read, edit and delete subscriptions. */
export function addSubscriptionRoutes(
  router: Router,
  before: readonly RequestHandler[],
  { subscriptions }: { readonly subscriptions: Subscriptions },
): void {
  const list: RequestHandler = async (_request, response) => {
    response.json(await subscriptions.list(accountOf(response)));
  };
  const post: RequestHandler = async (request, response) => {
    const { id, duplicateOf } = await subscriptions.create(accountOf(response), request.body);
    if (duplicateOf !== undefined) response.setHeader('link', `<${PATH}/${duplicateOf}>; rel="duplicate"`);
    response.status(201).json({ id });
  };
  const get: RequestHandler = async (request, response) => {
    response.json(await subscriptions.read(accountOf(response), pathParameter(request, 'id')));
  };
  const put: RequestHandler = async (request, response) => {
    await subscriptions.edit(accountOf(response), pathParameter(request, 'id'), request.body, () =>
      noteUnchanged(response),
    );
    response.json({ success: true });
  };
  const del: RequestHandler = async (request, response) => {
    await subscriptions.remove(accountOf(response), pathParameter(request, 'id'));
    response.json({ success: true });
  };
  addRoute(router, PATH, { get: [...before, list], post: [...before, post] });
  addRoute(router, `${PATH}/:id`, { get: [...before, get], put: [...before, put], delete: [...before, del] });
}
