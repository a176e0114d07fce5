import { StoreUnavailableError } from '@mailhook/core';
import type { EventQuery, EventTrace, EventTraces, EventType, LogItem } from '@mailhook/core';
import type { OpenLog } from '../event-log/open.ts';
import { shownItem } from './logged-item.ts';

/** Most events of a search whose outcomes are added. */
const EVENTS_MAX = 100;

/**
 * What a lookup found, and what the event log knows of deliveries whose attempts are no longer kept. It names no
 * requests, so a lookup by `webhook-id` finds only kept attempts.
 */
export async function withLogged(
  { log, readRecent }: OpenLog,
  account: string,
  { id, hash, messageId, email }: EventQuery,
  found: EventTraces,
): Promise<EventTraces> {
  const name = id ?? hash;
  if (name === undefined && messageId === undefined && email === undefined) return found;
  const query = { account, id: name, messageId, email };
  const page = await readRecent(account)
    .then(({ content }) => log.search(query, content, { limit: EVENTS_MAX }))
    .catch((error: unknown) => {
      if (!(error instanceof StoreUnavailableError)) throw error;
      return undefined;
    });
  if (page === undefined) return { ...found, isComplete: false };
  const kept = new Set(found.attempts.map(({ destination, webhookId }) => `${destination} ${webhookId}`));
  const logged = page.items
    .map(shownItem)
    .flatMap((item) => item.destinations.map((one): Logged => ({ ...one, item })));
  const delivered = logged.filter(
    ({ id, webhookId, outcome }) => outcome === 'delivered' && !kept.has(`${id} ${webhookId}`),
  );
  const lost = logged.filter(({ outcome }) => outcome === 'discarded' || (outcome === 'dead' && found.isComplete));
  const isOf = (one: Logged, trace: EventTrace): boolean =>
    trace.destination === one.id && (isNamed(trace, one) || (isNameless(trace) && isOnly(one, logged)));
  const untraced = lost.filter((one) => !found.items.some((trace) => trace.state !== 'failed' && isOf(one, trace)));
  // Attempts only say that the newest one failed. The log knows how the event ended.
  const items = found.items.filter((trace) => trace.state !== 'failed' || !untraced.some((one) => isOf(one, trace)));
  return {
    ...found,
    items: [...items, ...untraced.map(traceOf), ...delivered.map(traceOf)],
    isComplete: found.isComplete && page.nextCursor === undefined,
  };
}

/** What became of an event at a destination. */
type Logged = LogItem['destinations'][number] & { readonly item: LogItem };

const isNameless = ({ id, hash }: EventTrace): boolean => id === undefined && hash === undefined;

const isNamed = ({ id, hash }: EventTrace, { item }: Logged): boolean =>
  id === item.id || (hash !== undefined && hash === item.event['hash']);

/** Whether the log names no other event of the search at this destination. */
const isOnly = ({ id, item }: Logged, logged: readonly Logged[]): boolean =>
  logged.every((other) => other.id !== id || other.item.id === item.id);

function traceOf({ id: destination, outcome, attempts, at, item }: Logged): EventTrace {
  const time = outcome === 'delivered' ? 'deliveredAt' : 'discardedAt';
  return {
    destination,
    state: outcome === 'discarded' ? 'failed' : outcome,
    attempts,
    acceptedAt: item.acceptedAt,
    ...(at === undefined || outcome === 'dead' ? {} : { [time]: at }),
    id: item.id,
    type: item.event['event'] as EventType,
  };
}
