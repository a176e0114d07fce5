import { coded, editDestination, publicIdOf, SIGNING_SECRETS_MAX } from '@mailhook/core';
import type { CustomerServices, SigningSecret, StoredAccount, StoredSecret } from '@mailhook/core';
import { ProblemError } from '@mailhook/platform/http-server';
import { SIGNING_SECRET } from '@mailhook/platform/sealing';
import { newId, newSigningSecret } from '../accounts/tokens.ts';
import { findDestination, storedDestination, unknownDestination } from './stored-destinations.ts';
import type { StoredDestinationsDeps } from './stored-destinations.ts';

type DestinationSecretsDeps = Pick<StoredDestinationsDeps, 'store' | 'writer' | 'sealing'>;

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
  return {
    async listAll(account) {
      const found = (await store.load(account))?.destinations ?? [];
      return new Map(
        found.flatMap(({ id, secrets }) =>
          secrets.length === 0 ? [] : [[publicIdOf(account, id), secrets.map(withoutText)] as const],
        ),
      );
    },
    list: async (account, destination) => (await findDestination(store, account, destination)).secrets.map(withoutText),
    async create(account, destination) {
      const secret = newSigningSecret();
      const stored = sealing.seal(secret, { account, field: SIGNING_SECRET });
      const created = { id: newId(), secret: stored, createdAt: new Date().toISOString() };
      await change(account, destination, (secrets) => {
        if (secrets.length >= SIGNING_SECRETS_MAX)
          throw new ProblemError('conflict', { detail: coded('many-own-secrets', { max: SIGNING_SECRETS_MAX }) });
        return [...secrets, created];
      });
      return { id: created.id, secret };
    },
    async remove(account, destination, id) {
      await change(account, destination, (secrets) => {
        const left = secrets.filter((one) => one.id !== id);
        if (left.length === secrets.length)
          throw new ProblemError('not_found', { detail: coded('unknown-own-secret') });
        return left;
      });
    },
  };
}

const withoutText = ({ id, createdAt }: SigningSecret): SigningSecret => ({ id, createdAt });
