import type { Mechanism } from '../contracts/delivery.ts';
import type { Credentials } from './credentials.ts';
import { hash32 } from './hash32.ts';

/**
 * Each subscription is one transactional destination, and the campaign address of each account is one campaign
 * destination. The api writes a change of this record before it answers. The workers know accounts only through these
 * records.
 */
export interface Destination extends Credentials {
  /**
   * The subscription's id, or `campaignDestinationId(account)`. Letters, digits, `_`, `-`, and in an account's id `.`
   * and `:`.
   */
  readonly id: string;
  readonly kind: Mechanism;
  readonly account: string;
  /** Null for a campaign address that was cleared. */
  readonly address: string | null;
  readonly active: boolean;
  /** Why the destination is inactive. Its waiting events become dead letters with this reason. */
  readonly inactiveReason: string | null;
  /** The store's version of the record. */
  readonly version: number;
}

/** The id of the only campaign destination of an account. */
export const campaignDestinationId = (account: string): string => `campaign-${account}`;

/** The id of a destination that customers call `campaign`, or by the id of its subscription. */
export const destinationIdOf = ({
  kind,
  account,
  destination,
}: Record<'kind' | 'account' | 'destination', string>): string =>
  kind === 'campaign' ? campaignDestinationId(account) : destination;

/** The shard of an account. All Redis keys of the account's destinations are in it. */
export const shardOf = (account: string, shards: number): number => hash32(account) % shards;
