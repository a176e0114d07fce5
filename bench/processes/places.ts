import type { Destination, Mechanism, Route } from '@mailhook/core';
import { campaignDestinationId, NO_LIMITS, VERSION_1_REQUESTS, version1Route } from '@mailhook/core';

/** One measured run. It has separate accounts, destinations and addresses, so that no event of another run counts. */
export interface RunPlace {
  readonly run: string;
  readonly kind: Mechanism;
  /** The receivers' base URL. A `*` in it becomes a name of each destination, a `#` one of `ADDRESSES` numbers. */
  readonly baseUrl: string;
  /** Accounts that an api has made for the run. Absent: accounts named after the run. */
  readonly accounts?: readonly string[];
  /** The destinations get version 2 in requests like these. Absent: version 1. */
  readonly version2?: Pick<Destination, 'shape' | 'maxEvents' | 'concurrency'>;
}

/** So that a new connection finds a free port quickly, as it does with the receivers of many hosts. */
export const ADDRESSES = 32;

export const accountAt = ({ run, accounts }: RunPlace, i: number): string => accounts?.[i] ?? `${run}a${i}`;

const destinationIdAt = (place: RunPlace, i: number): string =>
  place.kind === 'campaign' ? campaignDestinationId(accountAt(place, i)) : `${place.run}s${i}`;

export const routeAt = (place: RunPlace, i: number): Route => {
  const id = destinationIdAt(place, i);
  const { version2 } = place;
  return version2 === undefined ? version1Route(id) : { id, version: 2, isSingle: version2.shape === 'single' };
};

export const addressAt = ({ baseUrl, run }: RunPlace, i: number): string =>
  `${baseUrl.replace('*', `d${i}`).replace('#', String(1 + (i % ADDRESSES)))}/${run}/${i}`;

export const destinationAt = (place: RunPlace, i: number): Destination => ({
  id: destinationIdAt(place, i),
  kind: place.kind,
  account: accountAt(place, i),
  address: addressAt(place, i),
  active: true,
  inactiveReason: null,
  version: 1,
  secrets: [],
  headers: {},
  limits: NO_LIMITS,
  ...(place.version2 ?? VERSION_1_REQUESTS[place.kind]),
});
