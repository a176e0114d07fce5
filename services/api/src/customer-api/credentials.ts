import { NO_LIMITS } from '@mailhook/core';
import type { Credentials, Mechanism, Store, StoredSubscription, SubscriptionType } from '@mailhook/core';
import { SealedError, SIGNING_SECRET } from '@mailhook/platform/sealing';
import type { Sealing } from '@mailhook/platform/sealing';
import { unavailable } from '@mailhook/platform/http-server';
import { headersFor, secretsFor } from '../accounts/snapshot.ts';

/** The target of a test request. Its address may be one that is not saved yet. */
export interface TestTarget {
  readonly address: string;
  readonly kind: Mechanism;
  /** Of a notification. Prefers the subscription of this type if several have the address. */
  readonly type?: SubscriptionType | undefined;
  /** Id of the subscription under test. Absent: it is found by the address. */
  readonly subscription?: string | undefined;
}

/**
 * The signing secrets and custom headers of a test request. The secrets are those that sign real deliveries to the
 * tested destination. A new subscription has the custom headers of the campaign webhook if both have the same origin.
 */
export type ReadCredentials = (account: string, target: TestTarget) => Promise<Credentials>;

interface CredentialsDeps {
  readonly store: Pick<Store, 'load'>;
  readonly sealing: Pick<Sealing, 'open'>;
}

export const createReadCredentials =
  ({ store, sealing }: CredentialsDeps): ReadCredentials =>
  async (account, target) => {
    const { address } = target;
    const found = await store.load(account);
    const ofAccount = (found?.secrets ?? []).map(({ secret }) => secret);
    const settings = found?.destinationSettings ?? [];
    const tested = target.kind === 'campaign' ? 'campaign' : subscriptionOf(found?.subscriptions ?? [], target);
    const of = (id: string | undefined) => settings.find(({ destination }) => destination === id);
    const signing = of(tested);
    const calling = of(tested ?? 'campaign');
    try {
      return {
        limits: NO_LIMITS,
        secrets: secretsFor(signing, ofAccount).map((secret) =>
          sealing.open(secret, { account, field: SIGNING_SECRET }),
        ),
        headers: Object.fromEntries(
          Object.entries(headersFor(calling, address)).map(([field, value]) => [
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

function subscriptionOf(
  known: readonly Pick<StoredSubscription, 'id' | 'address' | 'type'>[],
  { address, type, subscription }: TestTarget,
): string | undefined {
  if (subscription !== undefined) return known.find(({ id }) => id === subscription)?.id;
  const alike = known.filter((one) => one.address === address);
  return (alike.find((one) => one.type === type) ?? alike[0])?.id;
}
