import type { StoredAccount, StoredSecret } from '@mailhook/core';
import { logKeyField, SealedError, SIGNING_SECRET } from '@mailhook/platform/sealing';
import type { Sealing } from '@mailhook/platform/sealing';
import type { Logger } from '@mailhook/platform/logger';

/**
 * Returns an account with its secrets encrypted with the current `SECRETS_KEY`, or the same account if they are so
 * already or cannot be read.
 */
export const createReseal =
  (sealing: Sealing, logger: Logger) =>
  (account: StoredAccount): StoredAccount => {
    const texts = [account, ...account.destinations].flatMap(({ secrets }) => secrets.map(({ secret }) => secret));
    const values = account.destinations.flatMap(({ headers }) => Object.values(headers));
    const keys = account.logKeys.map(({ key }) => key);
    if (!sealing.hasKey || ![...texts, ...values, ...keys].some((text) => sealing.isOutdated(text))) return account;
    try {
      return resealed(sealing, account);
    } catch (error) {
      if (!(error instanceof SealedError)) throw error;
      logger.error('a stored secret cannot be read, so its destinations get no requests', {
        account: account.id,
        error,
      });
      return account;
    }
  };

function resealed(sealing: Sealing, account: StoredAccount): StoredAccount {
  const reseal = (stored: string, field: string): string => {
    const place = { account: account.id, field };
    return sealing.isOutdated(stored) ? sealing.seal(sealing.open(stored, place), place) : stored;
  };
  const all = (secrets: readonly StoredSecret[]) =>
    secrets.map((one) => ({ ...one, secret: reseal(one.secret, SIGNING_SECRET) }));
  const destinations = account.destinations.map((one) => {
    const headers = Object.entries(one.headers).map(([name, value]) => [name, reseal(value, name)] as const);
    // With the next version, so that the workers get the new texts.
    return { ...one, headers: Object.fromEntries(headers), secrets: all(one.secrets), version: one.version + 1 };
  });
  const logKeys = account.logKeys.map((one) => ({ ...one, key: reseal(one.key, logKeyField(one.month)) }));
  return { ...account, secrets: all(account.secrets), destinations, logKeys };
}
