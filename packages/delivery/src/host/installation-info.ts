import { MAILHOOK_VERSION } from '@mailhook/core';
import type { Metrics } from '@mailhook/platform/metrics';
import { keyIdOf } from '@mailhook/platform/sealing';

interface InstallationFacts {
  readonly ALLOW_PRIVATE_DESTINATIONS: boolean;
  readonly SECRETS_KEY: readonly Buffer[] | undefined;
  /** Where accounts and subscriptions are kept. Undefined for a service that does not know. */
  readonly store?: 'mongodb' | 'redis';
}

/**
 * Adds a metric for operators and `npx mailhook preflight`, with the service's version, its store, whether private
 * destinations are allowed, and a digest of the key of stored secrets.
 */
export function addInstallationInfo(
  metrics: Metrics,
  { ALLOW_PRIVATE_DESTINATIONS, SECRETS_KEY, store }: InstallationFacts,
): void {
  const labels = {
    version: MAILHOOK_VERSION,
    private_destinations: ALLOW_PRIVATE_DESTINATIONS ? 'allowed' : 'blocked',
    store: store ?? '',
    secrets_key: keyIdOf(SECRETS_KEY?.[0]),
  };
  metrics
    .gauge({
      name: 'mailhook_info',
      help: 'Always 1; the labels hold the version and the settings',
      labels: ['version', 'private_destinations', 'store', 'secrets_key'],
    })
    .set(labels, 1);
}
