import { createBodyBudget, usableMemoryBytes } from '@mailhook/platform/http-server';
import type { ConnectionLimits } from '@mailhook/platform/http-server';
import type { Logger } from '@mailhook/platform/logger';
import type { Metrics } from '@mailhook/platform/metrics';
import type { Redis } from '@mailhook/platform/redis';
import type { Accounts } from '../accounts/accounts.ts';
import type { Config } from '../config.ts';
import type { AdminTokens } from './admin-tokens.ts';
import { createAuthenticate } from './authenticate.ts';
import { createRequestLimits } from './request-limits.ts';
import { clientKey } from './client-address.ts';
import { createSecurityEvents } from './security-events.ts';
import { createSignInAttempts } from './sign-in-attempts.ts';

const MIB = 1024 * 1024;
/** Memory of the process without requests. */
const OWN_BYTES = 128 * MIB;
/** Parsed bodies, and the work on them, take several times the bytes of their text (docs/decisions/0019). */
const BODIES_PART_OF_REST = 1 / 12;
const BODIES_MIN_BYTES = 4 * MIB;
/** Maximum memory of a connection with an unread body, in buffers of the kernel and of Node. */
const CONNECTION_BYTES = 128 * 1024;

interface ProtectionDeps extends Pick<Accounts, 'tokens' | 'producerTokens'> {
  readonly adminTokens: AdminTokens;
  readonly redis: Redis;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** Limits the memory for bodies and connections, the guesses at tokens, and the requests of each customer. */
export function createProtection(config: Config, { redis, metrics, logger, ...signIns }: ProtectionDeps) {
  const memoryBytes = usableMemoryBytes();
  const maxBytes =
    config.BODY_BYTES_IN_FLIGHT_MAX ??
    Math.max(BODIES_MIN_BYTES, Math.floor((memoryBytes - OWN_BYTES) * BODIES_PART_OF_REST));
  const maxConnections = Math.floor(memoryBytes / CONNECTION_BYTES);
  const refused = metrics.counter({
    name: 'mailhook_connections_refused_total',
    help: 'Connections to the public API that were closed because all clients, or one, had too many.',
  });
  const limits = createRequestLimits({
    perSecond: config.CUSTOMER_REQUESTS_PER_SECOND,
    now: () => performance.now(),
  });
  const security = createSecurityEvents({ metrics, logger });
  const attempts = createSignInAttempts({ redis, prefix: config.QUEUE_PREFIX });
  return {
    bodies: createBodyBudget({ maxBytes, metrics }),
    attempts,
    limits,
    security,
    authenticate: createAuthenticate({ ...signIns, attempts, limits, security }),
    connections: {
      max: maxConnections,
      // A proxy in front has many clients.
      maxPerClient: config.TRUST_PROXY === false ? Math.floor(maxConnections / 2) : maxConnections,
      clientOf: clientKey,
      onRefused: () => refused.inc(),
    } satisfies ConnectionLimits,
  };
}

export type Protection = ReturnType<typeof createProtection>;
