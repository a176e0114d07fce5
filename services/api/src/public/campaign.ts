import type { RequestHandler, Router } from 'express';
import { campaignDestinationId, campaignTestInput, campaignWebhookInput } from '@mailhook/core';
import type { CampaignWebhook, Store, StoredCampaignWebhook } from '@mailhook/core';
import { addRoute, invalid, mustBe } from '@mailhook/platform/http-server';
import type { AccountReader } from '../accounts/account-reader.ts';
import type { AccountWriter } from '../accounts/account-writer.ts';
import type { AddressCheck } from './address-check.ts';
import { accountOf } from './authenticate.ts';
import type { ReceiverTests } from './receiver-tests.ts';

interface CampaignDeps {
  readonly store: Store;
  readonly reader: AccountReader;
  readonly writer: AccountWriter;
  readonly tests: ReceiverTests;
  readonly checkAddress: AddressCheck;
}

const PATH = '/v3/webhook/campaign';

/** The account's one campaign webhook (spec, "Resources", mechanism B) and its connection test. */
export function addCampaignRoutes(router: Router, before: readonly RequestHandler[], deps: CampaignDeps): void {
  addRoute(router, PATH, { get: [...before, read(deps)], put: [...before, write(deps)] });
  addRoute(router, `${PATH}/test`, { post: [...before, test(deps)] });
}

const shown = ({ address, active, inactiveReason }: StoredCampaignWebhook): CampaignWebhook => ({
  address,
  active,
  ...(inactiveReason === null ? {} : { inactiveReason }),
});

const read =
  ({ reader }: CampaignDeps): RequestHandler =>
  async (_request, response) => {
    response.json(shown(await reader.campaign(accountOf(response))));
  };

const write =
  ({ store, writer, checkAddress }: CampaignDeps): RequestHandler =>
  async (request, response) => {
    const { address, active } = mustBe(campaignWebhookInput, request.body);
    if (address !== null) checkAddress(address);
    const account = accountOf(response);
    const setting = { address, active: active && address !== null, inactiveReason: null };
    const saved = await writer.write(
      account,
      () => store.putCampaignWebhook(account, setting),
      () => ({ saves: ({ id }) => id === campaignDestinationId(account) }),
    );
    response.json(saved === undefined ? setting : shown(saved));
  };

const test =
  ({ reader, tests, checkAddress }: CampaignDeps): RequestHandler =>
  async (request, response) => {
    const input = mustBe(campaignTestInput, request.body ?? {});
    const account = accountOf(response);
    const address = input.address ?? (await reader.campaign(account)).address;
    if (address === null) {
      throw invalid([{ path: 'address', message: 'is required while the account has no campaign address' }]);
    }
    checkAddress(address);
    response.json(await tests.connection(account, address));
  };
