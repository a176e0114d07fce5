import { eventOfFields, isVersion1, typeOfEvent } from '@mailhook/core';
import type { DeliveryAttempt, Destination, LogItem } from '@mailhook/core';
import { derivedNames, notificationStem } from '@mailhook/event-log';
import type { EventLog, LogContent, LogItem as StoredItem } from '@mailhook/event-log';
import type { EventFinder } from '@mailhook/insight';

interface EntryAttemptsDeps {
  readonly finder: EventFinder;
  readonly log: Pick<EventLog, 'search'>;
  readonly content: LogContent;
  readonly destinations: readonly Pick<Destination, 'id' | 'kind'>[];
}

/** Entries of one producer's id that are compared. */
const SAME_ID_MAX = 100;

/** The kept attempts that carried an entry, newest first. Requests of version 1 do not have its `id`. */
export async function attemptsOf(
  { finder, log, content, destinations }: EntryAttemptsDeps,
  { event: logged }: StoredItem,
  item: LogItem,
): Promise<DeliveryAttempt[]> {
  const { account, acceptedAtMs } = logged;
  const event = eventOfFields(logged);
  const find = async (wanted: Parameters<EventFinder['find']>[1]) =>
    (await finder.find(account, wanted, destinations)).attempts;
  const found = [{ id: item.id }, ...derivedNames(logged).map((hash) => ({ hash }))].map(find);
  if (event.module !== 'campaign' && event.messageId !== undefined && isVersion1(event.module, typeOfEvent(event))) {
    // All notifications of a message have its `messageId`.
    const stems = [notificationStem(logged), ...item.destinations.flatMap(({ webhookId }) => webhookId ?? [])];
    const isOwn = ({ webhookId = '' }: DeliveryAttempt): boolean =>
      stems.some((stem) => webhookId === stem || webhookId.startsWith(`${stem}-`) || webhookId.startsWith(`${stem}_`));
    found.push(find({ messageId: event.messageId }).then((attempts) => attempts.filter(isOwn)));
  }
  const attempts = new Map((await Promise.all(found)).flat().map((one) => [one.id, one]));
  const times = event.id === undefined ? [] : await acceptedTimes(log, content, account, event.id);
  const nextMs = Math.min(...times.filter((ms) => ms > acceptedAtMs));
  const isFirst = !times.some((ms) => ms < acceptedAtMs);
  // An event that is repeated after its id was forgotten is an entry of its own, with the attempts from then on.
  return [...attempts.values()]
    .filter(({ time }) => (isFirst || Date.parse(time) >= acceptedAtMs) && Date.parse(time) < nextMs)
    .sort((a, b) => (a.time < b.time ? 1 : -1));
}

async function acceptedTimes(log: EntryAttemptsDeps['log'], content: LogContent, account: string, id: string) {
  const { items } = await log.search({ account, id }, content, { limit: SAME_ID_MAX });
  return items.map(({ event }) => event.acceptedAtMs);
}
