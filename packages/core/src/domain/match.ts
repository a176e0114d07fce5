import type { ProducerEvent } from '../contracts/producer-event.ts';
import type { SubscriptionType } from '../contracts/subscription.ts';

/** The active destinations of one account, as the routing table holds them. */
export interface AccountRoutes {
  /** Ids of active subscriptions, by event type. */
  readonly subscriptions: Readonly<Record<SubscriptionType, readonly string[]>>;
  /** The campaign destination's id, or null while it is unset or inactive. */
  readonly campaign: string | null;
}

/**
 * The ids of the destinations that get an event. A transactional event goes to every active subscription of its type, a
 * campaign event to the account's only campaign address.
 */
export function match(event: ProducerEvent, routes: AccountRoutes): readonly string[] {
  if (event.module === 'transactional_email') return routes.subscriptions[event.name];
  return routes.campaign === null ? [] : [routes.campaign];
}
