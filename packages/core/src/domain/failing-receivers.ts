import type { DestinationView } from '../contracts/overview.ts';
import type { CodedText } from './coded-text.ts';
import { causeIn, causeOf } from './dead-letter-groups.ts';
import { isUrl } from './is-url.ts';

/** Destinations that fail in the same way at the same host. */
export interface FailingReceiver {
  readonly host: string;
  /** Of the first destination. */
  readonly cause: CodedText;
  /** Never empty. */
  readonly destinations: readonly DestinationView[];
  readonly accounts: readonly string[];
  readonly events: number;
  /** ISO 8601: when the oldest waiting event was accepted. */
  readonly oldestAt: string | undefined;
  /** Destinations whose oldest event is younger than a minute. */
  readonly recent: number;
}

const RECENT_MS = 60_000;

/** Of an address. The rest of an address may be a secret. */
export const hostOf = (address: string): string => (isUrl(address) ? new URL(address).host : 'no address');

const isPaused = ({ state }: DestinationView): boolean => state === 'paused' || state === 'inactive';

/**
 * Groups the failing destinations by host and cause, those with the most destinations first. Paused ones do not count.
 */
export function groupFailing(views: readonly DestinationView[], nowMs: number): readonly FailingReceiver[] {
  const groups = new Map<
    string,
    { readonly host: string; readonly cause: CodedText; readonly own: DestinationView[] }
  >();
  for (const view of views) {
    const { failures, lastError, address, undelivered } = view;
    if (failures === 0 || lastError === undefined || undelivered === 0 || isPaused(view)) continue;
    const host = hostOf(address);
    const key = `${causeOf(lastError)} ${host}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { host, cause: causeIn(lastError), own: [view] });
    else group.own.push(view);
  }
  return [...groups.values()]
    .map(({ host, cause, own }): FailingReceiver => {
      const times = own.flatMap(({ oldestWaitingAt }) => oldestWaitingAt ?? []).sort();
      return {
        host,
        cause,
        destinations: own,
        accounts: [...new Set(own.map(({ account }) => account))],
        events: own.reduce((sum, { undelivered }) => sum + undelivered, 0),
        oldestAt: times[0],
        recent: times.filter((time) => Date.parse(time) > nowMs - RECENT_MS).length,
      };
    })
    .sort((a, b) => b.destinations.length - a.destinations.length || b.events - a.events);
}
