import { match } from '@mailhook/core';
import type { ProducerEvent } from '@mailhook/core';
import type { RoutedEvent } from '@mailhook/delivery';
import type { AccountSnapshot } from '../accounts/snapshot.ts';
import type { RoutingTable } from '../accounts/routing-table.ts';

type Routing = Pick<RoutingTable, 'peek' | 'load'>;

export interface RoutedRequest {
  readonly routed: readonly RoutedEvent[];
  /** Positions of events whose account does not exist. */
  readonly unknown: readonly number[];
}

/** Who gets which event, from memory; undefined: some account has to be looked up first. */
export function routeFromMemory(events: readonly ProducerEvent[], routing: Routing): RoutedRequest | undefined {
  const routed: RoutedEvent[] = [];
  const unknown: number[] = [];
  let account: string | undefined;
  let snapshot: AccountSnapshot | null | undefined;
  for (const [position, event] of events.entries()) {
    // Most requests are one account's: one look-up serves its whole run.
    if (event.account !== account) {
      account = event.account;
      snapshot = routing.peek(account);
      if (snapshot === undefined) return undefined;
    }
    if (snapshot === undefined) return undefined;
    if (snapshot === null) unknown.push(position);
    else routed.push({ event, destinations: match(event, snapshot.routes) });
  }
  return { routed, unknown };
}

const LOOK_UPS_AT_ONCE = 32;
/** A change may overtake a look-up; one that is overtaken so often has a writer in a loop, and any of its answers will do. */
const ROUNDS = 3;

/** As `routeFromMemory`, after the look-ups. Rejects with StoreUnavailableError when an account can neither be remembered nor looked up. */
export async function routeEvents(events: readonly ProducerEvent[], routing: Routing): Promise<RoutedRequest> {
  const accounts = [...new Set(events.map((event) => event.account))];
  const found = new Map<string, AccountSnapshot | null>();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let from = 0; from < accounts.length; from += LOOK_UPS_AT_ONCE) {
      const page = accounts.slice(from, from + LOOK_UPS_AT_ONCE);
      const snapshots = await Promise.all(page.map((account) => routing.load(account)));
      for (const [i, account] of page.entries()) found.set(account, snapshots[i] ?? null);
    }
    const result = routeFromMemory(events, routing);
    if (result !== undefined) return result;
  }
  const lookedUp = (account: string): AccountSnapshot | null => found.get(account) ?? null;
  return routeFromMemory(events, { peek: lookedUp, load: routing.load }) ?? { routed: [], unknown: [] };
}
