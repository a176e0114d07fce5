import { isDeepStrictEqual } from 'node:util';
import { campaignOf, setCampaign, shownDestinations } from '@mailhook/core';
import type { CustomerServices, Store, StoredAccount } from '@mailhook/core';
import { invalid } from '@mailhook/platform/http-server';
import type { AccountReader } from '../accounts/account-reader.ts';
import type { AccountWriter } from '../accounts/account-writer.ts';
import { accountGone, refuseOutdated } from '../accounts/change-account.ts';
import type { AddressCheck, SavedAddressCheck } from './address-check.ts';
import type { ReceiverTests } from './receiver-tests.ts';

interface CampaignDeps {
  readonly store: Pick<Store, 'load'>;
  readonly reader: AccountReader;
  readonly writer: AccountWriter;
  readonly tests: ReceiverTests;
  readonly checkAddress: AddressCheck;
  readonly checkSavedAddress: SavedAddressCheck;
}

export const createCampaign = (deps: CampaignDeps): CustomerServices['campaign'] => ({
  read: async (account) => campaignOf(await deps.reader.destinations(account)),
  write: write(deps),
  test: test(deps),
});

const settingIn = (account: StoredAccount) => campaignOf(shownDestinations(account));

const write =
  ({ store, writer, checkSavedAddress }: CampaignDeps): CustomerServices['campaign']['write'] =>
  async (account, { address, active }, onUnchanged, ifVersion) => {
    if (address !== null) {
      await checkSavedAddress(address, async () => {
        const found = await store.load(account);
        return found === undefined ? undefined : settingIn(found).address;
      });
    }
    const rule = (stored: StoredAccount) =>
      refuseOutdated(settingIn(stored), ifVersion) ?? setCampaign(stored, { address, active });
    const changed = await writer.change(account, rule, { evenWhenFull: !active || address === null });
    if (changed === undefined) throw accountGone();
    const [before, after] = [settingIn(changed.before), settingIn(changed.after)];
    if (isDeepStrictEqual(before, after)) onUnchanged();
    return after;
  };

const test =
  ({ reader, tests, checkAddress }: CampaignDeps): CustomerServices['campaign']['test'] =>
  async (account, input) => {
    const address = input.address ?? campaignOf(await reader.destinations(account)).address;
    if (address === null) {
      throw invalid([{ path: 'address', message: 'is required while the account has no campaign address' }]);
    }
    checkAddress(address);
    return tests[input.send ?? 'connection'](account, address);
  };
