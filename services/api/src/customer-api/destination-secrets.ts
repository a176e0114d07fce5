import {
  coded,
  editDestination,
  publicIdOf,
  ROLL_HOURS,
  rolled,
  signingAt,
  SIGNING_SECRETS_MAX,
  withoutSecret,
  withSecret,
} from '@mailhook/core';
import type { CustomerServices, StoredAccount, StoredSecret } from '@mailhook/core';
import { ProblemError } from '@mailhook/platform/http-server';
import { endIn, makeSecret, nowText, shownSecrets } from './secrets.ts';
import type { SecretsSealing } from './secrets.ts';
import { findDestination, storedDestination, unknownDestination } from './stored-destinations.ts';
import type { StoredDestinationsDeps } from './stored-destinations.ts';

interface DestinationSecretsDeps extends Pick<StoredDestinationsDeps, 'store' | 'writer'> {
  readonly sealing: SecretsSealing;
}

export function createDestinationSecrets({
  store,
  writer,
  sealing,
}: DestinationSecretsDeps): CustomerServices['destinationSecrets'] {
  const change = async (
    account: string,
    destination: string,
    secretsAfter: (secrets: readonly StoredSecret[]) => readonly StoredSecret[],
  ): Promise<void> => {
    const changed = await writer.change(account, (stored: StoredAccount) => {
      const former = storedDestination(stored, destination);
      return former && editDestination(stored, former.id, { secrets: secretsAfter(former.secrets) });
    });
    if (changed === undefined) throw unknownDestination();
  };
  const add = async (account: string, destination: string, hours?: number) => {
    const { secret, stored } = makeSecret(sealing, account);
    await change(account, destination, (secrets) => {
      // Without a secret of its own, the account's would stop signing at the same moment.
      if (hours !== undefined && signingAt(secrets, stored.createdAt).length === 0)
        throw new ProblemError('not_found', { detail: coded('unknown-own-secret') });
      const added = hours === undefined ? withSecret(secrets, stored) : rolled(secrets, stored, endIn(hours));
      if (added === undefined)
        throw new ProblemError('conflict', { detail: coded('many-own-secrets', { max: SIGNING_SECRETS_MAX }) });
      return added;
    });
    return { id: stored.id, secret };
  };
  const shown = (account: string, secrets: readonly StoredSecret[]) => shownSecrets(sealing, account, secrets);
  return {
    async listAll(account) {
      const found = (await store.load(account))?.destinations ?? [];
      return new Map(
        found.flatMap(({ id, secrets }) =>
          secrets.length === 0 ? [] : [[publicIdOf(account, id), shown(account, secrets)] as const],
        ),
      );
    },
    list: async (account, destination) => shown(account, (await findDestination(store, account, destination)).secrets),
    create: (account, destination) => add(account, destination),
    roll: (account, destination, { hours = ROLL_HOURS }) => add(account, destination, hours),
    async remove(account, destination, id) {
      await change(account, destination, (secrets) => {
        const left = withoutSecret(secrets, id, nowText());
        if (left === undefined) throw new ProblemError('not_found', { detail: coded('unknown-own-secret') });
        return left;
      });
    },
  };
}
