import { accountEndpoints } from './accounts.ts';
import { deadLetterEndpoints } from './dead-letters.ts';
import { destinationEndpoints } from './destinations.ts';
import type { AdminEndpoint } from './endpoint.ts';
import { installationEndpoints } from './installation.ts';
import { portalEndpoints } from './portal.ts';
import { producerTokenEndpoints } from './producer-tokens.ts';
import { tokenEndpoints } from './tokens.ts';

/** The admin API, in the order of its document. */
export const adminEndpoints: readonly AdminEndpoint[] = [
  ...accountEndpoints,
  ...tokenEndpoints,
  ...portalEndpoints,
  ...producerTokenEndpoints,
  ...installationEndpoints,
  ...destinationEndpoints,
  ...deadLetterEndpoints,
];
