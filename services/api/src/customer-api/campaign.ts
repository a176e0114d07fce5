import { isDeepStrictEqual } from 'node:util';
import { readCoded, setCampaign } from '@mailhook/core';
import type { CampaignWebhook, Store, StoredAccount, StoredCampaignWebhook, CustomerServices } from '@mailhook/core';
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
  read: async (account) => shown(await deps.reader.campaign(account)),
  write: write(deps),
  test: test(deps),
});

type Setting = Pick<StoredCampaignWebhook, 'address' | 'active' | 'inactiveReason'>;

const shown = ({ address, active, inactiveReason }: Setting): CampaignWebhook => ({
  address,
  active,
  ...(inactiveReason === null ? {} : { inactiveReason: readCoded(inactiveReason) }),
});

const write =
  ({ store, writer, checkSavedAddress }: CampaignDeps): CustomerServices['campaign']['write'] =>
  async (account, { address, active }, onUnchanged, ifVersion) => {
    if (address !== null) {
      await checkSavedAddress(address, async () => (await store.load(account))?.campaign.address);
    }
    const setting = { address, active };
    const evenWhenFull = !active || address === null;
    const rule = (stored: StoredAccount) =>
      refuseOutdated(shown(stored.campaign), ifVersion) ?? setCampaign(stored, setting);
    const changed = await writer.change(account, rule, { evenWhenFull });
    if (changed === undefined) throw accountGone();
    const [before, after] = [shown(changed.before.campaign), shown(changed.after.campaign)];
    if (isDeepStrictEqual(before, after)) onUnchanged();
    return after;
  };

const test =
  ({ reader, tests, checkAddress }: CampaignDeps): CustomerServices['campaign']['test'] =>
  async (account, input) => {
    const address = input.address ?? (await reader.campaign(account)).address;
    if (address === null) {
      throw invalid([{ path: 'address', message: 'is required while the account has no campaign address' }]);
    }
    checkAddress(address);
    return tests[input.send ?? 'connection'](account, address);
  };
