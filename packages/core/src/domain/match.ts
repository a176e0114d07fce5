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

/**
 * An account's active destinations, by the module and the type of the events that they get. A type with an empty list
 * is one that nobody takes although it is of version 1, or an inactive destination lists it.
 */
export type AccountRoutes = {
  readonly [Module in EventModule]: { readonly [Type in TypeOf<Module>]?: readonly Route[] };
};

export interface Matched {
  readonly destinations: readonly Route[];
  /** Those of its type whose filter keeps it out. Absent: none. */
  readonly filteredOut?: readonly Route[];
  /** Whether it counts as an event that no active destination took. */
  readonly isUnrouted?: boolean;
}

const NOBODY: Matched = { destinations: [] };
const UNROUTED: Matched = { destinations: [], isUnrouted: true };

/** The destinations that get an event: all active ones of its module and type whose filter it passes. */
export function match(event: ProducerEvent, routes: AccountRoutes): Matched {
  const found = event.module === 'campaign' ? routes.campaign[event.event] : routes.transactional_email[event.name];
  if (found === undefined) return NOBODY;
  if (found.length === 0) return UNROUTED;
  if (!found.some(({ passes }) => passes !== undefined)) return { destinations: found };
  const filteredOut = found.filter(({ passes }) => passes !== undefined && !passes(event));
  if (filteredOut.length === 0) return { destinations: found };
  return { destinations: found.filter((one) => !filteredOut.includes(one)), filteredOut };
}

/** A destination as the specification has it. */
export const version1Route = (id: string): Route => ({ id, version: 1 });
