import { addSecret, coded, removeSecret } from '@mailhook/core';
import type { SigningSecret, Store } from '@mailhook/core';
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

/**
 * The account's signing secrets, each shown once. An account may have two, so that it can replace one while both sign.
 */
export interface Secrets {
  /** Oldest first. */
  list(account: string): Promise<SigningSecret[]>;
  /** Shows the secret this one time. Rejects a third one with StoreConflictError. */
  create(account: string): Promise<{ readonly id: string; readonly secret: string }>;
  remove(account: string, id: string): Promise<void>;
}

export const createSecrets = (deps: SecretsDeps): Secrets => ({
  list: async (account) =>
    ((await deps.store.load(account))?.secrets ?? []).map(({ id, createdAt }) => ({
      id,
      createdAt,
    })),
  create: create(deps),
  remove: remove(deps),
});

const create =
  ({ writer, sealing }: SecretsDeps): Secrets['create'] =>
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
  ({ writer }: SecretsDeps): Secrets['remove'] =>
  async (account, id) => {
    const removed = await writer.change(account, (stored) => removeSecret(stored, id));
    if (removed === undefined) throw new ProblemError('not_found', { detail: coded('unknown-secret') });
  };
