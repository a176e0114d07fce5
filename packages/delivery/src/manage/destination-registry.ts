import type { CodedText, Destination } from '@mailhook/core';
import { coded, formatCredentials } from '@mailhook/core';
import type { Installation } from '../mailbox/installation.ts';
import { createMailboxCommands } from '../mailbox/commands.ts';

/** The destinations as the workers see them. */
export interface DestinationRegistry {
  /**
   * Writes the record, unless a newer version is stored, and starts or stops sending as needed. Then the next step of
   * every worker sees the record. Resolves with false if nothing had to be written.
   */
  save(destination: Destination): Promise<boolean>;
  /**
   * Marks the destination as deleted. Its undelivered events are discarded and counted, also if it has no record yet.
   */
  remove(destination: Pick<Destination, 'id' | 'kind' | 'account'>): Promise<void>;
  /**
   * How many destinations of the account were deleted since the count began, and when it begins again. It does so after
   * a week.
   */
  countDeleted(account: string): Promise<{ readonly count: number; readonly leftMs: number }>;
}

/** Lets the api write the records of destinations. Rejects while Redis is away. */
export function createDestinationRegistry(installation: Installation): DestinationRegistry {
  const { redis } = installation;
  const scriptsOf = ({ account, kind }: Pick<Destination, 'account' | 'kind'>) =>
    createMailboxCommands(redis, installation.keysOf(account, kind));
  return {
    save(destination) {
      const { account, address, active, inactiveReason, version } = destination;
      // Without an address, nothing can be sent, even to an active destination.
      const isActive = active && address !== null;
      const reason = inactiveReason ?? reasonOfInactive(destination).packed;
      return scriptsOf(destination).saveDestination(destination.id, [
        account,
        address ?? '',
        isActive ? '1' : '0',
        isActive ? '' : reason,
        version,
        formatCredentials(destination),
      ]);
    },
    async remove(destination) {
      await scriptsOf(destination).removeDestination(destination.id, destination.account);
    },
    async countDeleted(account) {
      const key = installation.keysOf(account, 'transactional').deletedOf(account);
      const [count, leftMs] = await Promise.all([redis.get(key), redis.pttl(key)]);
      return { count: Number(count ?? 0), leftMs: Math.max(0, leftMs) };
    },
  };
}

/** Why a person's change made a destination inactive. Its waiting events become dead letters with this error. */
export function reasonOfInactive({ kind, address }: Pick<Destination, 'kind' | 'address'>): CodedText {
  if (kind === 'transactional') return coded('subscription-off');
  return coded(address === null ? 'campaign-cleared' : 'campaign-off');
}
