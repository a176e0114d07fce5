import { coded, SIGNING_SECRETS_MAX } from '@mailhook/core';
import type { SigningSecret, CustomerServices } from '@mailhook/core';
import { ProblemError } from '@mailhook/platform/http-server';
import { SIGNING_SECRET } from '@mailhook/platform/sealing';
import type { Sealing } from '@mailhook/platform/sealing';
import { newId, newSigningSecret } from '../accounts/tokens.ts';
import { changeSettings, findSettings } from './stored-settings.ts';
import type { StoredSettingsDeps } from './stored-settings.ts';

interface DestinationSecretsDeps extends StoredSettingsDeps {
  readonly sealing: Pick<Sealing, 'seal'>;
}

export function createDestinationSecrets({
  store,
  writer,
  sealing,
}: DestinationSecretsDeps): CustomerServices['destinationSecrets'] {
  return {
    async listAll(account) {
      const found = (await store.load(account))?.destinationSettings ?? [];
      return new Map(
        found.flatMap(({ destination, secrets }) =>
          secrets.length === 0 ? [] : [[destination, secrets.map(withoutText)] as const],
        ),
      );
    },
    async list(account, destination) {
      const { secrets } = await findSettings(store, account, destination);
      return secrets.map(withoutText);
    },
    async create(account, destination) {
      const former = await findSettings(store, account, destination);
      if (former.secrets.length >= SIGNING_SECRETS_MAX) {
        throw new ProblemError('conflict', {
          detail: coded('many-own-secrets', { max: SIGNING_SECRETS_MAX }),
        });
      }
      const secret = newSigningSecret();
      const stored = sealing.seal(secret, { account, field: SIGNING_SECRET });
      const created = { id: newId(), secret: stored, createdAt: new Date().toISOString() };
      await changeSettings(writer, account, former, { secrets: [...former.secrets, created] });
      return { id: created.id, secret };
    },
    async remove(account, destination, id) {
      const former = await findSettings(store, account, destination);
      const secrets = former.secrets.filter((one) => one.id !== id);
      if (secrets.length === former.secrets.length)
        throw new ProblemError('not_found', { detail: coded('unknown-own-secret') });
      await changeSettings(writer, account, former, { secrets });
    },
  };
}

const withoutText = ({ id, createdAt }: SigningSecret): SigningSecret => ({ id, createdAt });
