import { destinationIdOf } from '@mailhook/core';
import type { DeliveryAttemptDetail } from '@mailhook/core';
import { entryName } from '@mailhook/event-log';
import type { LogItem } from '@mailhook/event-log';
import type { OpenLog } from '../event-log/open.ts';

const READ_AT_ONCE = 1000;
/** Each call works for two seconds at most. */
const CALLS_MAX = 5;
/** Processes whose clocks differ accept an event and send it. */
const CLOCKS_MS = 60_000;

/**
 * Names the entries that a delivered request carried, newest first. The search goes back from the first attempt at
 * them. It finds fewer if some have left the log, or if they waited long while others were accepted.
 */
export async function entriesOf(
  { log, readRecent }: Pick<OpenLog, 'log' | 'readRecent'>,
  account: string,
  { time, destination = '', webhookId, events, types, batchAttempts: [first] = [] }: DeliveryAttemptDetail,
): Promise<string[]> {
  const { content } = await readRecent(account);
  const toMs = Date.parse(first?.time ?? time) + CLOCKS_MS;
  const query = { account, types, destination: destinationIdOf(account, destination), toMs };
  const isCarried = ({ outcomes }: LogItem): boolean => outcomes.some((one) => one.webhookId === webhookId);
  const names: string[] = [];
  let cursor: string | undefined;
  for (let calls = 0; calls < CALLS_MAX && names.length < events; calls += 1) {
    const page = await log.search(query, content, { limit: READ_AT_ONCE, cursor });
    names.push(...page.items.filter(isCarried).map(({ event }) => entryName(event)));
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  return names;
}
