import { addSecret, coded, removeSecret } from '@mailhook/core';
import type { Store, CustomerServices } from '@mailhook/core';
import { ProblemError } from '@mailhook/platform/http-server';
import { SIGNING_SECRET } from '@mailhook/platform/sealing';
import type { Sealing } from '@mailhook/platform/sealing';
import type { AccountWriter } from '../accounts/account-writer.ts';
import { accountGone } from '../accounts/change-account.ts';
import { newId, newSigningSecret } from '../accounts/tokens.ts';

interface SecretsDeps {
  readonly store: Pick<Store, 'load'>;
  readonly writer: AccountWriter;
  readonly sealing: Pick<Sealing, 'seal'>;
}

export const createSecrets = (deps: SecretsDeps): CustomerServices['secrets'] => ({
  list: async (account) =>
    ((await deps.store.load(account))?.secrets ?? []).map(({ id, createdAt }) => ({
      id,
      createdAt,
    })),
  create: create(deps),
  remove: remove(deps),
});

const create =
  ({ writer, sealing }: SecretsDeps): CustomerServices['secrets']['create'] =>
  async (account) => {
    const secret = newSigningSecret();
    const created = {
      id: newId(),
      secret: sealing.seal(secret, { account, field: SIGNING_SECRET }),
      createdAt: new Date().toISOString(),
    };
    if ((await writer.change(account, (stored) => addSecret(stored, created))) === undefined) throw accountGone();
    return { id: created.id, secret };
  };

const remove =
  ({ writer }: SecretsDeps): CustomerServices['secrets']['remove'] =>
  async (account, id) => {
    const removed = await writer.change(account, (stored) => removeSecret(stored, id));
    if (removed === undefined) throw new ProblemError('not_found', { detail: coded('unknown-secret') });
  };
