import type { LogItem, LogPage } from '@mailhook/core';
import { z } from 'zod';
import type { Ledger } from './ledger.ts';
import type { Customer } from './load.ts';
import type { Stack } from './stack.ts';

type LogStack = Pick<Stack, 'baseUrl' | 'opsUrl' | 'adminToken'>;

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
  stack: LogStack,
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

async function* readLog({ baseUrl, opsUrl, adminToken }: LogStack, { account }: Customer) {
  const made = await call(`${opsUrl}/admin/accounts/${account}/tokens`, adminToken, {});
  const { token } = z.object({ token: z.string() }).parse(made);
  for (let cursor: string | undefined; ;) {
    const page = (await call(`${baseUrl}/v3/webhook/log/search`, token, { limit: 100, cursor })) as LogPage;
    yield* page.items;
    if (page.nextCursor === undefined) return;
    cursor = page.nextCursor;
  }
}

async function call(url: string, token: string, body: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!reply.ok) throw new Error(`${url}: ${reply.status} ${await reply.text()}`);
  return reply.json();
}

/** What the ledger calls an event. */
const keyOf = ({ notificationPath }: Customer, { event }: LogItem): string =>
  event['module'] === 'campaign' ? String(event['email']) : `${notificationPath} ${String(event['messageId'])}`;
