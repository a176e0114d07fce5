import { campaignDestinationId } from '@mailhook/core';
import type { Store, StoredDestinationSettings } from '@mailhook/core';
import { ProblemError } from '@mailhook/platform/http-server';
import type { AccountReader } from '../accounts/account-reader.ts';
import type { AccountWriter } from '../accounts/account-writer.ts';
import { headersFor, originOf } from '../accounts/snapshot.ts';

export interface StoredSettingsDeps {
  readonly store: Pick<Store, 'listDestinationSettings' | 'putDestinationSettings'>;
  readonly reader: AccountReader;
  readonly writer: AccountWriter;
}

/** The part of the settings that a customer changes. */
type Changed = Pick<StoredDestinationSettings, 'headers' | 'maxRequestsPerSecond' | 'secrets'>;

/**
 * Resolves with the settings of a destination (a subscription id, or `campaign`), empty ones of version 0 before the
 * first change. Headers for another origin than that of the address are left out. Rejects with a 404 if the account has
 * no such destination.
 */
export async function findSettings(
  { store, reader }: Omit<StoredSettingsDeps, 'writer'>,
  account: string,
  destination: string,
): Promise<StoredDestinationSettings> {
  const address = await addressOf(reader, account, destination);
  const stored = (await store.listDestinationSettings(account)).find((one) => one.destination === destination);
  return {
    account,
    destination,
    origin: originOf(address),
    headers: headersFor(stored, address),
    maxRequestsPerSecond: stored?.maxRequestsPerSecond ?? null,
    secrets: stored?.secrets ?? [],
    version: stored?.version ?? 0,
  };
}

/**
 * Saves the change for workers too. Rejects with a 409 if another request has changed the settings at the same time.
 */
export async function changeSettings(
  { store, writer }: Omit<StoredSettingsDeps, 'reader'>,
  former: StoredDestinationSettings,
  changed: Partial<Changed>,
): Promise<StoredDestinationSettings> {
  const { account, destination, version } = former;
  const settings = Object.assign({}, former, changed, { version: version + 1 });
  const id = destination === 'campaign' ? campaignDestinationId(account) : destination;
  const isWritten = await writer.write(
    account,
    () => store.putDestinationSettings(settings),
    (written) => (written ? { saves: (record) => record.id === id } : undefined),
  );
  if (isWritten) return settings;
  throw new ProblemError('conflict', {
    detail: 'Another request has just changed these settings. Read them and try again.',
  });
}

/** Resolves with the address of the destination, or null if a campaign webhook has none. */
async function addressOf(reader: AccountReader, account: string, destination: string): Promise<string | null> {
  if (destination === 'campaign') return (await reader.campaign(account)).address;
  const found = (await reader.subscriptions(account)).find(({ id }) => id === destination);
  if (found !== undefined) return found.address;
  throw new ProblemError('not_found', {
    detail: 'Your account has no destination with this id. Use the id of a subscription, or “campaign”.',
  });
}
