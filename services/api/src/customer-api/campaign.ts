import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { readCoded, setCampaign } from '@mailhook/core';
import type {
  campaignTestInput,
  CampaignWebhook,
  campaignWebhookInput,
  Store,
  StoredAccount,
  StoredCampaignWebhook,
  TestResult,
} from '@mailhook/core';
import { invalid } from '@mailhook/platform/http-server';
import type { IfVersion } from '@mailhook/platform/http-server';
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

/** The account's only campaign webhook. */
export interface Campaign {
  read(account: string): Promise<CampaignWebhook>;
  /**
   * Resolves with the new setting. Calls `onUnchanged` if it was like that before. Rejects with OutdatedChangeError if
   * the setting has another version than `ifVersion` takes.
   */
  readonly write: (
    account: string,
    setting: z.infer<typeof campaignWebhookInput>,
    onUnchanged: () => void,
    ifVersion?: IfVersion,
  ) => Promise<CampaignWebhook>;
  /** Runs the connection test, or sends a sample batch, to the given address, or else to the saved one. */
  readonly test: (account: string, input: z.infer<typeof campaignTestInput>) => Promise<TestResult>;
}

export const createCampaign = (deps: CampaignDeps): Campaign => ({
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
  ({ store, writer, checkSavedAddress }: CampaignDeps): Campaign['write'] =>
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
  ({ reader, tests, checkAddress }: CampaignDeps): Campaign['test'] =>
  async (account, input) => {
    const address = input.address ?? (await reader.campaign(account)).address;
    if (address === null) {
      throw invalid([{ path: 'address', message: 'is required while the account has no campaign address' }]);
    }
    checkAddress(address);
    return tests[input.send ?? 'connection'](account, address);
  };
