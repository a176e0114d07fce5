import { StoreUnavailableError } from '@mailhook/core';
import type { EventQuery, EventTrace, EventTraces, EventType } from '@mailhook/core';
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
  const items = page.items.map(shownItem).flatMap((item) =>
    item.destinations
      .filter((one) => one.outcome === 'delivered' && !kept.has(`${one.id} ${one.webhookId}`))
      .map(({ id: destination, attempts, at }): EventTrace => ({
        destination,
        state: 'delivered',
        attempts,
        acceptedAt: item.acceptedAt,
        ...(at === undefined ? {} : { deliveredAt: at }),
        id: item.id,
        type: item.event['event'] as EventType,
      })),
  );
  return { ...found, items: [...found.items, ...items], isComplete: found.isComplete && page.nextCursor === undefined };
}
