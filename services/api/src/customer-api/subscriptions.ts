import { isDeepStrictEqual } from 'node:util';
import {
  addDestination,
  coded,
  editDestination,
  removeDestination,
  shown,
  subscriptionOf,
  version1Settings,
} from '@mailhook/core';
import type { CustomerServices, IfVersion, StoredAccount, Subscription } from '@mailhook/core';
import { ProblemError } from '@mailhook/platform/http-server';
import type { AccountReader } from '../accounts/account-reader.ts';
import { accountGone, refuseOutdated } from '../accounts/change-account.ts';
import type { AccountRule } from '../accounts/change-account.ts';
import { newId } from '../accounts/tokens.ts';
import { refuseAfterManyDeletions, storedDestination } from './stored-destinations.ts';
import type { StoredDestinationsDeps } from './stored-destinations.ts';

interface SubscriptionsDeps extends StoredDestinationsDeps {
  readonly reader: AccountReader;
}

/** The destinations of an account that are subscriptions of the specification. */
export function createSubscriptions(deps: SubscriptionsDeps): CustomerServices['subscriptions'] {
  const list = async (account: string) =>
    (await deps.reader.destinations(account)).map(subscriptionOf).filter((one) => one !== undefined);
  return {
    list,
    read: async (account, wanted) => {
      const found = (await list(account)).find(({ id }) => id === wanted);
      if (found === undefined) throw gone();
      return found;
    },
    create: create(deps, list),
    edit: edit(deps),
    remove: remove(deps),
  };
}

const gone = (): ProblemError => new ProblemError('not_found', { detail: coded('unknown-subscription') });

const create =
  (
    { writer, checkSavedAddress, registry }: SubscriptionsDeps,
    list: CustomerServices['subscriptions']['list'],
  ): CustomerServices['subscriptions']['create'] =>
  async (account, { address, type, module }) => {
    await refuseAfterManyDeletions(registry, account);
    await checkSavedAddress(address, () => Promise.resolve(undefined));
    // Read first, so that no subscription is created if this fails.
    const existing = await list(account);
    const id = newId();
    const created = { id, module, settings: version1Settings(module, { address, types: [type] }), headers: {} };
    if ((await writer.change(account, (stored) => addDestination(stored, created))) === undefined) throw accountGone();
    return { id, duplicateOf: existing.find((one) => one.address === address && one.type === type)?.id };
  };

const edit =
  ({ store, writer, checkSavedAddress }: SubscriptionsDeps): CustomerServices['subscriptions']['edit'] =>
  async (account, id, { address, active, type }, onUnchanged, ifVersion) => {
    if (address !== undefined)
      await checkSavedAddress(address, async () => subscriptionIn(await store.load(account), id)?.address);
    const settings = { address, active, types: type === undefined ? undefined : [type] };
    const rule = ofVersion(id, ifVersion, (stored) => editDestination(stored, id, { settings }));
    const edited = await writer.change(account, rule, { evenWhenFull: active === false });
    const [before, after] = [subscriptionIn(edited?.before, id), subscriptionIn(edited?.after, id)];
    if (before === undefined || after === undefined) throw gone();
    if (isDeepStrictEqual(before, after)) onUnchanged();
  };

function subscriptionIn(account: StoredAccount | undefined, id: string): Subscription | undefined {
  const found = storedDestination(account, id);
  const seen = account === undefined || found === undefined ? undefined : shown(account.id, found);
  return seen === undefined ? undefined : subscriptionOf(seen);
}

/** The rule, for a subscription of this version only. */
const ofVersion =
  (id: string, ifVersion: IfVersion | undefined, rule: AccountRule): AccountRule =>
  (stored) => {
    const found = subscriptionIn(stored, id);
    return found === undefined ? undefined : (refuseOutdated(found, ifVersion) ?? rule(stored));
  };

const remove =
  ({ writer }: SubscriptionsDeps): CustomerServices['subscriptions']['remove'] =>
  async (account, id, ifVersion) => {
    const rule = ofVersion(id, ifVersion, (stored) => removeDestination(stored, id));
    const removed = await writer.change(account, rule, { evenWhenFull: true });
    if (removed === undefined) throw gone();
  };
