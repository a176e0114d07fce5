import { MAILHOOK_VERSION } from '@mailhook/core';
import type { Metrics } from '@mailhook/platform/metrics';

interface InstallationFacts {
  readonly ALLOW_PRIVATE_DESTINATIONS: boolean;
  /** Where accounts and subscriptions are kept. Undefined for a service that does not know. */
  readonly store?: 'mongodb' | 'redis';
}

/** Adds a metric for operators and `npm run preflight`, with the service's version, its store, and whether private destinations are allowed. */
export function addInstallationInfo(metrics: Metrics, { ALLOW_PRIVATE_DESTINATIONS, store }: InstallationFacts): void {
  const labels = {
    version: MAILHOOK_VERSION,
    private_destinations: ALLOW_PRIVATE_DESTINATIONS ? 'allowed' : 'blocked',
    store: store ?? '',
  };
  metrics
    .gauge({
      name: 'mailhook_info',
      help: 'Always 1; the labels hold the version and the settings',
      labels: ['version', 'private_destinations', 'store'],
    })
    .set(labels, 1);
}
