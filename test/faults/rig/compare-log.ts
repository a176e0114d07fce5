import type { LogItem, LogPage } from '@mailhook/core';
import type { Ledger } from './ledger.ts';
import type { Customer } from './load.ts';
import type { Stack } from './stack.ts';

/** What services need so that `compareLog` can read the whole log. */
export const loggingTo = (folder: string): NodeJS.ProcessEnv => ({
  EVENT_LOG: folder,
  CUSTOMER_REQUESTS_PER_SECOND: '100000',
});

/**
 * Compares the event log with the histories of producers and receivers, when all accepted events have arrived: it has
 * each received event once, as delivered, and no other. Returns a sentence for each difference.
 */
export async function compareLog(
  stack: Pick<Stack, 'baseUrl'>,
  customers: readonly Customer[],
  ledger: Pick<Ledger, 'isConfirmed' | 'delivered'>,
): Promise<readonly string[]> {
  const differences: string[] = [];
  const seen = new Set<string>();
  for (const customer of customers)
    for await (const item of readLog(stack, customer)) {
      if ('gap' in item) {
        differences.push(`the log has a gap: ${JSON.stringify(item.gap)}`);
        continue;
      }
      const key = keyOf(customer, item);
      if (seen.has(key)) differences.push(`the log has ${key} twice`);
      if (!ledger.isConfirmed(key)) differences.push(`the log has ${key}, which no receiver got`);
      const outcomes = item.destinations.map(({ outcome }) => outcome);
      if (outcomes.some((outcome) => outcome !== 'delivered'))
        differences.push(`${key} is ${outcomes.join()} in the log`);
      seen.add(key);
    }
  if (seen.size < ledger.delivered) differences.push(`the log lacks ${ledger.delivered - seen.size} received events`);
  return differences;
}

async function* readLog(stack: Pick<Stack, 'baseUrl'>, customer: Customer) {
  for (let cursor: string | undefined; ;) {
    const page = (await callAs(customer, stack, 'log/search', { limit: 100, cursor })) as LogPage;
    yield* page.items;
    if (page.nextCursor === undefined) return;
    cursor = page.nextCursor;
  }
}

/** Calls `/v3/webhook/<path>`, with GET if there is no body. */
export async function callAs(
  { token }: Customer,
  { baseUrl }: Pick<Stack, 'baseUrl'>,
  path: string,
  body?: object,
): Promise<unknown> {
  const reply = await fetch(`${baseUrl}/v3/webhook/${path}`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
  return reply.json();
}

/** What the ledger calls an event. */
const keyOf = ({ notificationPath }: Customer, { event }: LogItem): string =>
  event['module'] === 'campaign' ? String(event['email']) : `${notificationPath} ${String(event['messageId'])}`;
