import { match } from '@mailhook/core';
import type { ProducerEvent } from '@mailhook/core';
import type { RoutedEvent } from '@mailhook/delivery';
import type { AccountSnapshot } from '../accounts/snapshot.ts';
import type { RoutingTable } from '../accounts/routing-table.ts';

type Routing = Pick<RoutingTable, 'peek' | 'load'>;

export interface RoutedRequest {
  readonly routed: readonly RoutedEvent[];
  /** Positions of events with an unknown account. */
  readonly unknown: readonly number[];
}

/** Finds the destinations of each event from memory. Returns undefined if an account must be looked up first. */
export function findInMemory(events: readonly ProducerEvent[], peek: Routing['peek']): RoutedRequest | undefined {
  const routed: RoutedEvent[] = [];
  const unknown: number[] = [];
  let account: string | undefined;
  let snapshot: AccountSnapshot | null | undefined;
  for (const [position, event] of events.entries()) {
    // Most requests hold the events of one account, so consecutive events share one lookup.
    if (event.account !== account) {
      account = event.account;
      snapshot = peek(account);
      if (snapshot === undefined) return undefined;
    }
    if (snapshot === undefined) return undefined;
    if (snapshot === null) unknown.push(position);
    else routed.push({ event, ...match(event, snapshot.routes) });
  }
  return { routed, unknown };
}

/** One call of the store loads all accounts that are not in memory. */
const LOOK_UPS_AT_ONCE = 128;

/**
 * Like `findInMemory`, but with one lookup per account. Rejects with StoreUnavailableError if an account is not in
 * memory and the store is down.
 * @param unknownMax stops the lookups after this number of unknown accounts. The caller refuses such a request. Only
 * the first `unknownMax` positions
 *   in `unknown` are then certain.
 */
export async function findDestinations(
  events: readonly ProducerEvent[],
  routing: Routing,
  unknownMax = Number.POSITIVE_INFINITY,
): Promise<RoutedRequest> {
  const accounts = [...new Set(events.map((event) => event.account))];
  const found = new Map<string, AccountSnapshot | null>();
  let unknown = 0;
  for (let from = 0; from < accounts.length && unknown < unknownMax; from += LOOK_UPS_AT_ONCE) {
    const page = accounts.slice(from, from + LOOK_UPS_AT_ONCE);
    const snapshots = await Promise.all(page.map((account) => routing.load(account)));
    for (const [i, account] of page.entries()) found.set(account, snapshots[i] ?? null);
    unknown += snapshots.filter((snapshot) => snapshot === null).length;
  }
  const lookedUp = (account: string): AccountSnapshot | null => found.get(account) ?? null;
  return findInMemory(events, lookedUp) ?? { routed: [], unknown: [] };
}

/** The events that no active destination takes, of the types of version 1 and of those that the account asks for. */
export function withoutDestination(routed: readonly RoutedEvent[]): readonly ProducerEvent[] {
  const found: ProducerEvent[] = [];
  for (const { event, isUnrouted } of routed) if (isUnrouted === true) found.push(event);
  return found;
}
