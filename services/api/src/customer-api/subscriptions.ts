import { isDeepStrictEqual } from 'node:util';
import { addSubscription, coded, editSubscription, removeSubscription } from '@mailhook/core';
import type { Store, StoredAccount, Subscription, CustomerServices, IfVersion } from '@mailhook/core';
import { ProblemError } from '@mailhook/platform/http-server';
import type { DestinationRegistry } from '@mailhook/delivery';
import type { AccountWriter } from '../accounts/account-writer.ts';
import { accountGone, refuseOutdated } from '../accounts/change-account.ts';
import type { AccountRule } from '../accounts/change-account.ts';
import type { AccountReader } from '../accounts/account-reader.ts';
import { newId } from '../accounts/tokens.ts';
import type { SavedAddressCheck } from './address-check.ts';

interface SubscriptionsDeps {
  readonly store: Pick<Store, 'load'>;
  readonly reader: AccountReader;
  readonly writer: AccountWriter;
  readonly checkSavedAddress: SavedAddressCheck;
  readonly registry: Pick<DestinationRegistry, 'countDeleted'>;
}

export const createSubscriptions = (deps: SubscriptionsDeps): CustomerServices['subscriptions'] => ({
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

const gone = (): ProblemError => new ProblemError('not_found', { detail: coded('unknown-subscription') });

/**
 * Most subscriptions that an account may delete in about a week before it can create no more. Each leaves up to 300
 * bytes in Redis for a week.
 */
const DELETED_MAX = 10_000;

async function refuseAfterManyDeletions(registry: SubscriptionsDeps['registry'], account: string): Promise<void> {
  const { count, leftMs } = await registry.countDeleted(account);
  if (count < DELETED_MAX) return;
  throw new ProblemError('rate_limited', {
    detail: coded('many-deleted', { count: String(count) }),
    headers: { 'retry-after': String(Math.max(1, Math.ceil(leftMs / 1000))) },
  });
}

const create =
  ({ reader, writer, checkSavedAddress, registry }: SubscriptionsDeps): CustomerServices['subscriptions']['create'] =>
  async (account, input) => {
    await refuseAfterManyDeletions(registry, account);
    await checkSavedAddress(input.address, () => Promise.resolve(undefined));
    // Read first, so that no subscription is created if this fails.
    const existing = await reader.subscriptions(account);
    const id = newId();
    if ((await writer.change(account, (stored) => addSubscription(stored, { ...input, id }))) === undefined)
      throw accountGone();
    return { id, duplicateOf: existing.find((one) => one.address === input.address && one.type === input.type)?.id };
  };

const edit =
  ({ store, writer, checkSavedAddress }: SubscriptionsDeps): CustomerServices['subscriptions']['edit'] =>
  async (account, id, { address, active, type }, onUnchanged, ifVersion) => {
    if (address !== undefined) {
      await checkSavedAddress(address, async () => subscriptionOf(await store.load(account), id)?.address);
    }
    const change = { address, active, type };
    const evenWhenFull = active === false;
    const rule = ofVersion(id, ifVersion, (stored) => editSubscription(stored, id, change));
    const edited = await writer.change(account, rule, { evenWhenFull });
    const [before, after] = [subscriptionOf(edited?.before, id), subscriptionOf(edited?.after, id)];
    if (before === undefined || after === undefined) throw gone();
    if (isDeepStrictEqual(shown(before), shown(after))) onUnchanged();
  };

const subscriptionOf = (account: StoredAccount | undefined, id: string): Subscription | undefined =>
  account?.subscriptions.find((one) => one.id === id);

/** The rule, for a subscription of this version only. */
const ofVersion =
  (id: string, ifVersion: IfVersion | undefined, rule: AccountRule): AccountRule =>
  (stored) => {
    const found = subscriptionOf(stored, id);
    return (found && refuseOutdated(shown(found), ifVersion)) ?? rule(stored);
  };

const remove =
  ({ writer }: SubscriptionsDeps): CustomerServices['subscriptions']['remove'] =>
  async (account, id, ifVersion) => {
    const rule = ofVersion(id, ifVersion, (stored) => removeSubscription(stored, id));
    const removed = await writer.change(account, rule, { evenWhenFull: true });
    if (removed === undefined) throw gone();
  };
