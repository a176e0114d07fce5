import { addSecret, coded, removeSecret, ROLL_HOURS, signingAt } from '@mailhook/core';
import type { Store, CustomerServices, SigningSecret, StoredSecret } from '@mailhook/core';
import { ProblemError } from '@mailhook/platform/http-server';
import { SealedError, SIGNING_SECRET } from '@mailhook/platform/sealing';
import type { Sealing } from '@mailhook/platform/sealing';
import type { AccountWriter } from '../accounts/account-writer.ts';
import { accountGone } from '../accounts/change-account.ts';
import { newId, newSigningSecret } from '../accounts/tokens.ts';

interface SecretsDeps {
  readonly store: Pick<Store, 'load'>;
  readonly writer: AccountWriter;
  readonly sealing: SecretsSealing;
}

export type SecretsSealing = Pick<Sealing, 'seal' | 'open'>;

export function createSecrets({ store, writer, sealing }: SecretsDeps): CustomerServices['secrets'] {
  const add = async (account: string, hours?: number) => {
    const { secret, stored } = makeSecret(sealing, account);
    const endOfOthers = hours === undefined ? undefined : endIn(hours);
    const added = await writer.change(account, (before) => addSecret(before, stored, endOfOthers));
    if (added === undefined) throw accountGone();
    return { id: stored.id, secret };
  };
  return {
    list: async (account) => shownSecrets(sealing, account, (await store.load(account))?.secrets ?? []),
    create: (account) => add(account),
    roll: (account, { hours = ROLL_HOURS }) => add(account, hours),
    async remove(account, id) {
      const removed = await writer.change(account, (stored) => removeSecret(stored, id, nowText()));
      if (removed === undefined) throw new ProblemError('not_found', { detail: coded('unknown-secret') });
    },
  };
}

export const nowText = (): string => new Date().toISOString();
const HOUR_MS = 3_600_000;
export const endIn = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString();

/** A new secret, and how the store keeps it. */
export function makeSecret(sealing: Pick<Sealing, 'seal'>, account: string) {
  const secret = newSigningSecret();
  const stored: StoredSecret = {
    id: newId(),
    secret: sealing.seal(secret, { account, field: SIGNING_SECRET }),
    createdAt: nowText(),
    endsAt: null,
  };
  return { secret, stored };
}

/** `whsec_` and 24 of 256 bits. */
const START_CHARS = 10;

/** The secrets that sign at present, as lists show them. */
export const shownSecrets = (
  sealing: Pick<Sealing, 'open'>,
  account: string,
  secrets: readonly StoredSecret[],
): SigningSecret[] =>
  signingAt(secrets, nowText()).map(({ id, createdAt, secret, endsAt }) => {
    const start = startOf(sealing, account, secret);
    return { id, createdAt, endsAt, ...(start === undefined ? {} : { start }) };
  });

function startOf(sealing: Pick<Sealing, 'open'>, account: string, secret: string): string | undefined {
  try {
    return sealing.open(secret, { account, field: SIGNING_SECRET }).slice(0, START_CHARS);
  } catch (error) {
    if (error instanceof SealedError) return undefined;
    throw error;
  }
}
