import { campaignDestinationId, destinationIdOf, KINDS, NO_LIMITS, originOf, signingAt } from '@mailhook/core';
import type { Credentials, Mechanism, Store, StoredAccount, StoredDestination, SubscriptionType } from '@mailhook/core';
import { SealedError, SIGNING_SECRET } from '@mailhook/platform/sealing';
import type { Sealing } from '@mailhook/platform/sealing';
import { unavailable } from '@mailhook/platform/http-server';

/** The target of a test request. Its address may be one that is not saved yet. */
export interface TestTarget {
  readonly address: string;
  readonly kind: Mechanism;
  /** Of a notification. Prefers the destination that lists it if several have the address. */
  readonly type?: SubscriptionType | undefined;
  /** Public id of the destination under test. Absent: it is found by the address. */
  readonly destination?: string | undefined;
}

/**
 * The signing secrets and custom headers of a test request. The secrets are those that sign real deliveries to the
 * tested destination. A new destination has the custom headers of the campaign webhook if both have the same origin.
 */
export type ReadCredentials = (account: string, target: TestTarget) => Promise<Credentials>;

interface CredentialsDeps {
  readonly store: Pick<Store, 'load'>;
  readonly sealing: Pick<Sealing, 'open'>;
}

export const createReadCredentials =
  ({ store, sealing }: CredentialsDeps): ReadCredentials =>
  async (account, target) => {
    const found = await store.load(account);
    const campaign = found?.destinations.find(({ id }) => id === campaignDestinationId(account));
    const tested = found === undefined ? undefined : testedOf(found, target, campaign);
    const calling = tested ?? campaign;
    const own = tested?.secrets ?? [];
    const signing = own.length === 0 ? (found?.secrets ?? []) : own;
    const isSameOrigin = originOf(calling?.settings.address ?? null) === originOf(target.address);
    try {
      return {
        limits: NO_LIMITS,
        secrets: signingAt(signing, new Date().toISOString()).map(({ secret }) =>
          sealing.open(secret, { account, field: SIGNING_SECRET }),
        ),
        headers: Object.fromEntries(
          Object.entries(isSameOrigin ? (calling?.headers ?? {}) : {}).map(([field, value]) => [
            field,
            sealing.open(value, { account, field }),
          ]),
        ),
      };
    } catch (error) {
      if (!(error instanceof SealedError)) throw error;
      throw unavailable(
        'Mailhook cannot read your stored secrets at the moment. Its operators must set its key.',
        30,
        error,
      );
    }
  };

function testedOf(
  { id: account, destinations }: StoredAccount,
  { address, kind, type, destination }: TestTarget,
  campaign: StoredDestination | undefined,
): StoredDestination | undefined {
  if (destination !== undefined) return destinations.find(({ id }) => id === destinationIdOf(account, destination));
  const alike = destinations.filter(({ module, settings }) => KINDS[module] === kind && settings.address === address);
  const listing = alike.find(({ settings }) => type !== undefined && settings.types.includes(type));
  return listing ?? alike[0] ?? (kind === 'campaign' ? campaign : undefined);
}
