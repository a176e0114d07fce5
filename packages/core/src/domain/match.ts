import type { ProducerEvent } from '../contracts/producer-event.ts';
import type { EventModule, TypeOf } from '../contracts/event-types.ts';
import type { Passes } from './event-filter.ts';

/** An active destination, as intake sees it. */
export interface Route {
  readonly id: string;
  /** The version of the bodies that it gets. */
  readonly version: 1 | 2;
  /** Of version 2: whether its requests carry one event each. In version 1 the module decides. */
  readonly isSingle?: boolean | undefined;
  /** Undefined: it gets all events of its types. */
  readonly passes?: Passes | undefined;
}

/** An account's active destinations, by the module and the type of the events that they get. */
export type AccountRoutes = {
  readonly [Module in EventModule]: { readonly [Type in TypeOf<Module>]?: readonly Route[] };
};

const NONE: readonly Route[] = [];

/** The destinations that get an event: all active ones of its module and type whose filter it passes. */
export function match(event: ProducerEvent, routes: AccountRoutes): readonly Route[] {
  const found = event.module === 'campaign' ? routes.campaign[event.event] : routes.transactional_email[event.name];
  if (found === undefined) return NONE;
  return found.every(({ passes }) => passes === undefined || passes(event))
    ? found
    : found.filter(({ passes }) => passes === undefined || passes(event));
}

/** A destination as the specification has it. */
export const version1Route = (id: string): Route => ({ id, version: 1 });
