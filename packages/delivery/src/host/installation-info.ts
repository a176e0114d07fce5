import { MAILHOOK_VERSION } from '@mailhook/core';
import type { Metrics } from '@mailhook/platform/metrics';

interface InstallationFacts {
  readonly ALLOW_PRIVATE_DESTINATIONS: boolean;
  /** Where accounts and subscriptions are kept; undefined for a service that does not know. */
  readonly store?: 'mongodb' | 'redis';
}

/** What an operator, and `npm run preflight`, must know of a running service: its version, and the settings that are for development only. */
export function addInstallationInfo(metrics: Metrics, { ALLOW_PRIVATE_DESTINATIONS, store }: InstallationFacts): void {
  const labels = {
    version: MAILHOOK_VERSION,
    private_destinations: ALLOW_PRIVATE_DESTINATIONS ? 'allowed' : 'blocked',
    store: store ?? '',
  };
  metrics
    .gauge({
      name: 'mailhook_info',
      help: 'Always 1: the labels are the version, and what is set',
      labels: ['version', 'private_destinations', 'store'],
    })
    .set(labels, 1);
}
