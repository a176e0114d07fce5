import type { Credentials, Store } from '@mailhook/core';
import { SealedError, SIGNING_SECRET } from '@mailhook/platform/sealing';
import type { Sealing } from '@mailhook/platform/sealing';
import { unavailable } from '@mailhook/platform/http-server';
import { headersFor, secretsFor } from '../accounts/snapshot.ts';

/**
 * The signing secrets and custom headers of a test request to an address. The headers are those of the destination with this address, or else of the
 * campaign webhook if the address has its origin.
 */
export type ReadCredentials = (account: string, address: string) => Promise<Credentials>;

interface CredentialsDeps {
  readonly store: Pick<Store, 'listSecrets' | 'listDestinationSettings' | 'listSubscriptions'>;
  readonly sealing: Pick<Sealing, 'open'>;
}

export const createReadCredentials =
  ({ store, sealing }: CredentialsDeps): ReadCredentials =>
  async (account, address) => {
    const [found, settings] = await Promise.all([store.listSecrets(account), store.listDestinationSettings(account)]);
    const ofAccount = found.map(({ secret }) => secret);
    const known = settings.length === 0 ? [] : await store.listSubscriptions(account);
    const subscription = known.find((one) => one.address === address)?.id;
    const own = settings.find(({ destination }) => destination === (subscription ?? 'campaign'));
    try {
      return {
        maxRequestsPerSecond: null,
        secrets: secretsFor(own, ofAccount).map((secret) => sealing.open(secret, { account, field: SIGNING_SECRET })),
        headers: Object.fromEntries(
          Object.entries(headersFor(own, address)).map(([field, value]) => [
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

/** Custom headers as pages and the API show them. */
export const hiddenValues = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, '(not shown)']));
