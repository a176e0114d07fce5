import { KINDS } from '../contracts/delivery.ts';
import type { Mechanism } from '../contracts/delivery.ts';
import { SHAPE_LIMITS } from '../contracts/shape.ts';
import type { Shape } from '../contracts/shape.ts';
import { forEachName } from '../contracts/tables.ts';
import type { Credentials } from './credentials.ts';
import { hash32 } from './hash32.ts';

/**
 * What the workers know of a destination. The api writes a change of this record before it answers. The workers know
 * accounts only through these records.
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
  /** How requests carry events of version 2. Those of version 1 leave as the specification says. */
  readonly shape: Shape;
  /** Most events per request, 1 for the shape single. */
  readonly maxEvents: number;
  /** Most requests in flight, of all workers together. */
  readonly concurrency: number;
}

/** How requests carry events, of destinations as the specification has them. */
export const VERSION_1_REQUESTS: Readonly<Record<Mechanism, Pick<Destination, 'shape' | 'maxEvents' | 'concurrency'>>> =
  {
    transactional: { shape: 'single', ...SHAPE_LIMITS.single },
    campaign: { shape: 'batch', ...SHAPE_LIMITS.batch },
  };

/** The shape that the specification has in each module. */
export const DEFAULT_SHAPES = forEachName(KINDS, (module) => VERSION_1_REQUESTS[KINDS[module]].shape);

/** The id of the destination that the specification calls the campaign webhook of an account. */
export const campaignDestinationId = (account: string): string => `campaign-${account}`;

/** The shard of an account. All Redis keys of the account's destinations are in it. */
export const shardOf = (account: string, shards: number): number => hash32(account) % shards;
