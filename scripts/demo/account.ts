import path from 'node:path';
import { createdToken, subscription, subscriptionType } from '@mailhook/core';
import { z } from 'zod';
import { readPrivateJson, writePrivateJson } from '../stack/stack-file.ts';
import type { StackSettings } from '../stack/settings.ts';
import { createApiClient } from './api-client.ts';
import type { ApiClient } from './api-client.ts';

const demoAccount = z.object({ account: z.string(), token: z.string() });
export type DemoAccount = z.infer<typeof demoAccount>;

/**
 * Returns the demo account of an earlier start while its token still works, or else a new one, which it keeps under
 * `DATA_DIR`.
 */
export async function provideAccount(settings: StackSettings): Promise<DemoAccount> {
  const file = path.join(settings.dataDir, 'demo.json');
  const kept = demoAccount.safeParse(readPrivateJson(file));
  if (kept.success && (await isTokenGood(settings.baseUrl, kept.data.token))) return kept.data;
  const admin = createApiClient(settings.opsUrl, settings.adminToken);
  const made = z.object({ id: z.string() }).parse(await admin.call('POST', '/admin/accounts', { name: 'Demo' }));
  const tokenPath = `/admin/accounts/${encodeURIComponent(made.id)}/tokens`;
  const { token } = createdToken.parse(await admin.call('POST', tokenPath, { label: 'npm start' }));
  const account = { account: made.id, token };
  writePrivateJson(file, account);
  return account;
}

async function isTokenGood(baseUrl: string, token: string): Promise<boolean> {
  return createApiClient(baseUrl, token)
    .call('GET', '/v3/webhook/campaign')
    .then(
      () => true,
      () => false,
    );
}

/** What comes to the demo's receiver. */
export interface Connection {
  /** The types of events of messages. */
  readonly types: readonly string[];
  /** The campaign address that a person has set, which stays. */
  readonly ownCampaignAddress: string | undefined;
}

/**
 * Points one subscription per type and the campaign address at the demo's receiver. Moves those of an earlier start.
 */
export async function connectReceiver(api: ApiClient, receiverUrl: string): Promise<Connection> {
  const types = subscriptionType.options;
  const address = `${receiverUrl}/transactional`;
  const existing = z.array(subscription).parse(await api.call('GET', '/v3/webhook/subscriptions'));
  for (const type of types) {
    const own = existing.find((one) => one.type === type && DEMO_ADDRESS.test(one.address));
    const body = { address, type, module: 'transactional_email' };
    if (own === undefined) await api.call('POST', '/v3/webhook/subscriptions', body);
    else await api.call('PUT', `/v3/webhook/subscriptions/${own.id}`, { ...body, active: true });
  }
  const campaign = z.object({ address: z.string().nullable() }).parse(await api.call('GET', '/v3/webhook/campaign'));
  if (campaign.address !== null && !DEMO_ADDRESS.test(campaign.address))
    return { types, ownCampaignAddress: campaign.address };
  await api.call('PUT', '/v3/webhook/campaign', { address: `${receiverUrl}/campaign`, active: true });
  return { types, ownCampaignAddress: undefined };
}

const DEMO_ADDRESS = /^http:\/\/127\.0\.0\.1:\d+\/(transactional|campaign)$/;
