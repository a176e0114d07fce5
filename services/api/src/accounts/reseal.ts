import type { Store } from '@mailhook/core';
import { SealedError, SIGNING_SECRET } from '@mailhook/platform/sealing';
import type { Sealing } from '@mailhook/platform/sealing';
import type { Logger } from '@mailhook/platform/logger';

interface ResealDeps {
  readonly store: Pick<Store, 'listSecrets' | 'resealSecret' | 'listDestinationSettings' | 'putDestinationSettings'>;
  readonly sealing: Sealing;
  readonly logger: Logger;
}

/**
 * Encrypts the secrets of an account that are stored without encryption or with a former `SECRETS_KEY` with the current
 * one. A change by the customer at the same time wins, and the next pass comes back to it.
 */
export async function resealAccount({ store, sealing, logger }: ResealDeps, account: string): Promise<void> {
  if (!sealing.hasKey) return;
  const [secrets, settings] = await Promise.all([store.listSecrets(account), store.listDestinationSettings(account)]);
  const reseal = (stored: string, field: string): string => {
    const place = { account, field };
    return sealing.isOutdated(stored) ? sealing.seal(sealing.open(stored, place), place) : stored;
  };
  try {
    for (const { id, secret } of secrets) {
      if (sealing.isOutdated(secret)) await store.resealSecret(account, id, secret, reseal(secret, SIGNING_SECRET));
    }
    for (const one of settings) {
      const values = Object.entries(one.headers);
      const texts = [...Object.values(one.headers), ...one.secrets.map(({ secret }) => secret)];
      if (!texts.some((text) => sealing.isOutdated(text))) continue;
      const own = one.secrets.map((secret) => ({ ...secret, secret: reseal(secret.secret, SIGNING_SECRET) }));
      const headers = Object.fromEntries(values.map(([name, value]) => [name, reseal(value, name)]));
      await store.putDestinationSettings({ ...one, headers, secrets: own, version: one.version + 1 });
    }
  } catch (error) {
    if (!(error instanceof SealedError)) throw error;
    logger.error('a stored secret cannot be read, so its destinations get no requests', { account, error });
  }
}
