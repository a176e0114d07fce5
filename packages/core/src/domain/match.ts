import type { ProducerEvent } from '../contracts/event.ts';
import type { SubscriptionType } from '../contracts/subscription.ts';

/** The destinations of one account that want mail now: what the routing table holds. */
export interface AccountRoutes {
  /** Ids of active subscriptions, by event type. */
  readonly subscriptions: Readonly<Record<SubscriptionType, readonly string[]>>;
  /** The campaign destination's id, or null while it is unset or inactive. */
  readonly campaign: string | null;
}

/**
 * Ids of the destinations that get an event (spec, "Events", mechanism A: "each active subscription whose type and module match";
 * mechanism B: the account's one campaign address).
 */
export function match(event: ProducerEvent, routes: AccountRoutes): readonly string[] {
  if (event.module === 'transactional_email') return routes.subscriptions[event.name];
  return routes.campaign === null ? [] : [routes.campaign];
}
