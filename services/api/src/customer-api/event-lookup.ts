import type { EventQuery, EventTraces, CustomerServices } from '@mailhook/core';
import type { EventSearch } from '@mailhook/delivery';
import type { EventFinder } from '@mailhook/insight';
import type { AccountReader } from '../accounts/account-reader.ts';
import { destinationsOfAccount } from '../accounts/destinations-of-account.ts';
import type { RequestLimits } from '../auth/request-limits.ts';
import type { OpenLog } from '../event-log/open.ts';
import { withLogged } from './logged-traces.ts';

interface EventLookupDeps {
  readonly finder: EventFinder;
  readonly reader: AccountReader;
  readonly limits: Pick<RequestLimits, 'charge' | 'scan'>;
  /** Undefined while the event log is off. */
  readonly openLog: OpenLog | undefined;
}

/** Requests that the search of waiting events and dead letters counts as. The search of the log counts by its rows. */
const LOOKUP_COST = 20;

export const createEventLookup = (deps: EventLookupDeps): CustomerServices['eventLookup'] => {
  const { finder, reader, limits, openLog } = deps;
  const find = async (account: string, query: EventQuery): Promise<EventTraces> => {
    limits.charge(account, LOOKUP_COST);
    const destinations = destinationsOfAccount(account, await reader.destinations(account));
    // The query has exactly one field.
    const found = await finder.find(account, query as EventSearch, destinations);
    return openLog === undefined ? found : withLogged(openLog, account, query, found);
  };
  return (account, query) =>
    limits.scan(account, async () => {
      const found = await find(account, query);
      const withPlus = plusForSpace(query);
      return withPlus === undefined || found.items.length + found.attempts.length > 0 ? found : find(account, withPlus);
    });
};

/**
 * In a query, `+` means a space, but clients often write an address with a `+` as it is. Undefined if there is no
 * space.
 */
function plusForSpace(query: EventQuery): EventQuery | undefined {
  const given = Object.entries(query).filter((entry): entry is [keyof EventQuery, string] => entry[1] !== undefined);
  if (!given.some(([, value]) => value.includes(' '))) return undefined;
  return Object.fromEntries(given.map(([name, value]) => [name, value.replaceAll(' ', '+')]));
}
