import type { StoredAccount, StoredSecret } from '@mailhook/core';
import { logKeyField, SealedError, SIGNING_SECRET } from '@mailhook/platform/sealing';
import type { Sealing } from '@mailhook/platform/sealing';
import type { Logger } from '@mailhook/platform/logger';

/**
 * Returns an account with its secrets encrypted with the current `SECRETS_KEY`, or the same account if they are so
 * already or cannot be read. A key of the event log that cannot be read stays as it is.
 */
export const createReseal =
  (sealing: Sealing, logger: Logger) =>
  (account: StoredAccount): StoredAccount => {
    const texts = [account, ...account.destinations].flatMap(({ secrets }) => secrets.map(({ secret }) => secret));
    const values = account.destinations.flatMap(({ headers }) => Object.values(headers));
    const isOutdated = (text: string): boolean => sealing.hasKey && sealing.isOutdated(text);
    const orSame = <Part>(problem: string, same: Part, reseal: () => Part): Part => {
      try {
        return reseal();
      } catch (error) {
        if (!(error instanceof SealedError)) throw error;
        logger.error(problem, { account: account.id, error });
        return same;
      }
    };
    const withSecrets = [...texts, ...values].some(isOutdated)
      ? orSame(UNREADABLE_SECRET, account, () => withSecretsResealed(sealing, account))
      : account;
    if (!account.logKeys.some(({ key }) => isOutdated(key))) return withSecrets;
    const logKeys = account.logKeys.map((one) =>
      orSame(UNREADABLE_LOG_KEY, one, () => ({
        ...one,
        key: resealText(sealing, account.id, one.key, logKeyField(one.month)),
      })),
    );
    return logKeys.every(({ key }, i) => key === account.logKeys[i]?.key) ? withSecrets : { ...withSecrets, logKeys };
  };

const UNREADABLE_SECRET = 'a stored secret cannot be read, so its destinations get no requests';
const UNREADABLE_LOG_KEY = 'a key of the event log cannot be read, so its account has no event log of that month';

const resealText = (sealing: Sealing, account: string, stored: string, field: string): string =>
  sealing.isOutdated(stored) ? sealing.seal(sealing.open(stored, { account, field }), { account, field }) : stored;

function withSecretsResealed(sealing: Sealing, account: StoredAccount): StoredAccount {
  const reseal = (stored: string, field: string): string => resealText(sealing, account.id, stored, field);
  const all = (secrets: readonly StoredSecret[]) =>
    secrets.map((one) => ({ ...one, secret: reseal(one.secret, SIGNING_SECRET) }));
  const destinations = account.destinations.map((one) => {
    const headers = Object.entries(one.headers).map(([name, value]) => [name, reseal(value, name)] as const);
    // With the next version, so that the workers get the new texts.
    return { ...one, headers: Object.fromEntries(headers), secrets: all(one.secrets), version: one.version + 1 };
  });
  return { ...account, secrets: all(account.secrets), destinations };
}
