import { isDeepStrictEqual } from 'node:util';
import type { RequestHandler, Router } from 'express';
import { campaignTestInput, campaignWebhookInput, setCampaign } from '@mailhook/core';
import type { CampaignWebhook, Store, StoredCampaignWebhook, TestResult } from '@mailhook/core';
import { addRoute, invalid, optionalBody, parseOrThrow } from '@mailhook/platform/http-server';
import type { AccountReader } from '../accounts/account-reader.ts';
import type { AccountWriter } from '../accounts/account-writer.ts';
import { accountGone } from '../accounts/change-account.ts';
import type { AddressCheck, SavedAddressCheck } from './address-check.ts';
import { noteUnchanged } from '../audit/audit-requests.ts';
import { accountOf } from '../auth/authenticate.ts';
import type { ReceiverTests } from './receiver-tests.ts';
import { answerTest } from './test-answer.ts';

interface CampaignDeps {
  readonly store: Pick<Store, 'load'>;
  readonly reader: AccountReader;
  readonly writer: AccountWriter;
  readonly tests: ReceiverTests;
  readonly checkAddress: AddressCheck;
  readonly checkSavedAddress: SavedAddressCheck;
}

/** The account's only campaign webhook. Bodies are unchecked input. */
export interface Campaign {
  read(account: string): Promise<CampaignWebhook>;
  /** Resolves with the new setting. Calls `onUnchanged` if it was like that before. */
  write(account: string, body: unknown, onUnchanged: () => void): Promise<CampaignWebhook>;
  /** Runs the connection test, or sends a sample batch, to the address in the body, or else to the saved one. */
  test(account: string, body: unknown): Promise<TestResult>;
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
  ...(inactiveReason === null ? {} : { inactiveReason }),
});

const write =
  ({ store, writer, checkSavedAddress }: CampaignDeps): Campaign['write'] =>
  async (account, body, onUnchanged) => {
    const { address, active } = parseOrThrow(campaignWebhookInput, body);
    if (address !== null) {
      await checkSavedAddress(address, async () => (await store.load(account))?.campaign.address);
    }
    const setting = { address, active };
    const evenWhenFull = !active || address === null;
    const changed = await writer.change(account, (stored) => setCampaign(stored, setting), { evenWhenFull });
    if (changed === undefined) throw accountGone();
    const [before, after] = [shown(changed.before.campaign), shown(changed.after.campaign)];
    if (isDeepStrictEqual(before, after)) onUnchanged();
    return after;
  };

const test =
  ({ reader, tests, checkAddress }: CampaignDeps): Campaign['test'] =>
  async (account, body) => {
    const input = parseOrThrow(campaignTestInput, body);
    const address = input.address ?? (await reader.campaign(account)).address;
    if (address === null) {
      throw invalid([{ path: 'address', message: 'is required while the account has no campaign address' }]);
    }
    checkAddress(address);
    return tests[input.send ?? 'connection'](account, address);
  };

const PATH = '/v3/webhook/campaign';

export function addCampaignRoutes(
  router: Router,
  before: readonly RequestHandler[],
  { campaign }: { readonly campaign: Campaign },
): void {
  const get: RequestHandler = async (_request, response) => {
    response.json(await campaign.read(accountOf(response)));
  };
  const put: RequestHandler = async (request, response) => {
    response.json(await campaign.write(accountOf(response), request.body, () => noteUnchanged(response)));
  };
  const run: RequestHandler = (request, response) =>
    answerTest(request, response, () => campaign.test(accountOf(response), optionalBody(request.body)), true);
  addRoute(router, PATH, { get: [...before, get], put: [...before, put] });
  addRoute(router, `${PATH}/test`, { post: [...before, run] });
}
