import type { Destination } from '@mailhook/core';
import { shardOf } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import { engineKeys } from '../mailbox/keys.ts';
import type { DestinationRegistry } from '../ports.ts';
import { createScripts } from '../mailbox/commands.ts';

/** The api's hand on the destinations' records (see `DestinationRegistry`). Rejects when Redis is away. */
export function createDestinationRegistry(options: {
  readonly redis: Redis;
  readonly queuePrefix: string;
  readonly shards: number;
}): DestinationRegistry {
  const { redis, queuePrefix, shards } = options;
  const scriptsOf = (destination: Pick<Destination, 'account' | 'kind'>) =>
    createScripts(redis, engineKeys(queuePrefix, shardOf(destination.account, shards), destination.kind));
  return {
    async save(destination) {
      const { account, address, active, inactiveReason, version, secrets } = destination;
      // Without an address there is nothing to send to, whatever the switch says.
      const isActive = active && address !== null;
      const reason = inactiveReason ?? defaultReason(destination);
      await scriptsOf(destination).saveDestination(destination.id, [
        account,
        address ?? '',
        isActive ? '1' : '0',
        isActive ? '' : reason,
        version,
        secrets.length === 0 ? '' : JSON.stringify(secrets),
      ]);
    },
    async remove(destination) {
      await scriptsOf(destination).removeDestination(destination.id);
    },
  };
}

function defaultReason({ kind, address }: Destination): string {
  if (kind === 'transactional') return 'the subscription was deactivated';
  return address === null ? 'the campaign address was cleared' : 'the campaign webhook was deactivated';
}
