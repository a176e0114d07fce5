import path from 'node:path';
import { createdToken, EVERY_TYPE } from '@mailhook/core';
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

/**
 * Connects the demo's receiver: to the events of messages as arrays of version 2, and to the campaign webhook. Moves
 * what an earlier start has connected. Returns the campaign address that a person has set, which stays.
 */
export async function connectReceiver(api: ApiClient, receiverUrl: string): Promise<string | undefined> {
  const path = '/v3/webhook/destinations';
  const settings = { address: `${receiverUrl}/events`, types: [EVERY_TYPE], shape: 'array' };
  const { items } = destinations.parse(await api.call('GET', path));
  const own = items.find(({ id, address }) => id !== CAMPAIGN && DEMO_ADDRESS.test(address));
  if (own === undefined) await api.call('POST', path, { ...settings, module: 'transactional_email', name: 'Demo' });
  else await api.call('PUT', `${path}/${own.id}/settings`, { ...settings, active: true });
  const campaign = items.find(({ id }) => id === CAMPAIGN);
  if (campaign !== undefined && !DEMO_ADDRESS.test(campaign.address)) return campaign.address;
  await api.call('PUT', '/v3/webhook/campaign', { address: `${receiverUrl}/campaign`, active: true });
  return undefined;
}

const destinations = z.object({ items: z.array(z.object({ id: z.string(), address: z.string() })) });
const CAMPAIGN = 'campaign';
const DEMO_ADDRESS = /^http:\/\/127\.0\.0\.1:\d+\/(events|campaign)$/;
