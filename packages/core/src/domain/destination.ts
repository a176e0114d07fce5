import type { Mechanism } from '../contracts/delivery.ts';
import { hash32 } from './hash32.ts';

/**
 * Where mail goes: one destination a subscription (mechanism A) and one an account's campaign address (mechanism B).
 * The api writes it before it answers; the workers know nothing else of accounts.
 */
export interface Destination {
  /** The subscription's id, or `campaignDestinationId(account)`. Letters, digits, `_` and `-`. */
  readonly id: string;
  readonly kind: Mechanism;
  readonly account: string;
  /** Null: a campaign address that was cleared. */
  readonly address: string | null;
  readonly active: boolean;
  /** Why it is inactive, for the dead letters that follow from it. */
  readonly inactiveReason: string | null;
  /** The store's version of the record. */
  readonly version: number;
  /** The account's signing secrets, oldest first. */
  readonly secrets: readonly string[];
}

/** The one destination of an account's campaign webhook. */
export const campaignDestinationId = (account: string): string => `campaign-${account}`;

/** Shard of an account's destinations: all keys of an account live in one. */
export const shardOf = (account: string, shards: number): number => hash32(account) % shards;
