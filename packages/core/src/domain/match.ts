import type { ProducerEvent } from '../contracts/producer-event.ts';
import type { EventModule, TypeOf } from '../contracts/event-types.ts';

/** The ids of an account's active destinations, by the module and the type of the events that they get. */
export type AccountRoutes = {
  readonly [Module in EventModule]: { readonly [Type in TypeOf<Module>]?: readonly string[] };
};

const NONE: readonly string[] = [];

/** The ids of the destinations that get an event: all active ones of its module and type. */
export const match = (event: ProducerEvent, routes: AccountRoutes): readonly string[] =>
  (event.module === 'campaign' ? routes.campaign[event.event] : routes.transactional_email[event.name]) ?? NONE;
