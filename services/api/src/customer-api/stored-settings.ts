import { coded, NO_LIMITS, saveDestinationSettings } from '@mailhook/core';
import type { Store, StoredAccount, StoredDestinationSettings } from '@mailhook/core';
import { ProblemError } from '@mailhook/platform/http-server';
import type { AccountWriter } from '../accounts/account-writer.ts';
import { headersFor, originOf } from '../accounts/snapshot.ts';

export interface StoredSettingsDeps {
  readonly store: Pick<Store, 'load'>;
  readonly writer: AccountWriter;
}

/** The part of the settings that a customer changes. */
type Changed = Pick<StoredDestinationSettings, 'headers' | 'headersVersion' | 'limits' | 'secrets'>;

/**
 * Resolves with the settings of a destination (a subscription id, or `campaign`), empty ones of version 0 before the
 * first change. Headers for another origin than that of the address are left out. Rejects with a 404 if the account has
 * no such destination.
 */
export async function findSettings(
  store: Pick<Store, 'load'>,
  account: string,
  destination: string,
): Promise<StoredDestinationSettings> {
  const found = await store.load(account);
  const isCampaign = destination === 'campaign';
  const target = isCampaign ? found?.campaign : found?.subscriptions.find(({ id }) => id === destination);
  if (target === undefined && !isCampaign) {
    throw new ProblemError('not_found', {
      detail: coded('unknown-destination'),
    });
  }
  return settingsIn(found, destination, target?.address ?? null);
}

/** The same, out of an account. `address` is that of the destination. */
export function settingsIn(
  account: StoredAccount | undefined,
  destination: string,
  address: string | null,
): StoredDestinationSettings {
  const stored = account?.destinationSettings.find((one) => one.destination === destination);
  return {
    destination,
    origin: originOf(address),
    headers: headersFor(stored, address),
    headersVersion: stored?.headersVersion ?? 0,
    limits: stored?.limits ?? NO_LIMITS,
    secrets: stored?.secrets ?? [],
    version: stored?.version ?? 0,
  };
}

/**
 * Saves the change for workers too. Rejects with a 409, or with `conflict`, if another request has changed the settings
 * at the same time.
 */
export async function changeSettings(
  writer: AccountWriter,
  account: string,
  former: StoredDestinationSettings,
  changed: Partial<Changed>,
  conflict?: Error,
): Promise<StoredDestinationSettings> {
  const settings = { ...former, ...changed, version: former.version + 1 };
  if ((await writer.change(account, (stored) => saveDestinationSettings(stored, settings))) !== undefined)
    return settings;
  throw conflict ?? new ProblemError('conflict', { detail: coded('settings-changed') });
}
