import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Mechanism } from '@mailhook/core';
import type { RoutedEvent } from '@mailhook/delivery';
import { z } from 'zod';

/** A job as a producer, the api or a worker of some version left it in Redis. */
export const storedJob = z.object({ queue: z.string(), name: z.string(), data: z.record(z.string(), z.unknown()) });
export type StoredJob = z.infer<typeof storedJob>;

const FOLDER = path.join(__dirname, 'payloads');

/** Reads `payloads/<version>/<name>.json`. */
export const readPayload = (version: string, name: string): StoredJob =>
  storedJob.parse(JSON.parse(readFileSync(path.join(FOLDER, version, `${name}.json`), 'utf8')));

export const ACCOUNT = 'acc_payloads';
export const SUBSCRIPTION = 'sub_payloads';
/** A second subscription of the same type. Both get the events of version 3. */
export const SUBSCRIPTION_2 = 'sub_payloads_2';
export const CAMPAIGN = `campaign-${ACCOUNT}`;
/** The trace context of the events of versions 2 and 3. */
export const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** The request behind the chunk jobs of versions 1 and 2. The one for the campaign queue has events of both kinds. */
export function requestOf(kind: Mechanism): RoutedEvent[] {
  const time = 1_790_000_000;
  const opened: RoutedEvent = {
    event: {
      account: ACCOUNT,
      module: 'transactional_email',
      name: 'open',
      messageId: `<${kind}@sender.example>`,
      time,
      ip: '192.0.2.7',
    },
    destinations: [SUBSCRIPTION],
  };
  if (kind === 'transactional') return [opened];
  const common = { account: ACCOUNT, module: 'campaign', campaign: 'aBcDeFgHiJ', timestamp: time } as const;
  const events = [
    { ...common, id: 'order-7', event: 'open', email: 'opened@example.com' },
    { ...common, event: 'click', email: 'clicked@example.com', url: 'https://shop.example.com/sale' },
    { ...common, event: 'unsubscribe', email: 'left@example.com' },
  ] as const;
  return [opened, ...events.map((event) => ({ event, destinations: [CAMPAIGN] }))];
}

/** The large request behind the chunk jobs of version 3. The files hold its first two opens. */
export function largeRequestOf(kind: Mechanism): RoutedEvent[] {
  const [opened, ...events] = requestOf(kind) as [RoutedEvent, ...RoutedEvent[]];
  const opens = Array.from({ length: 5001 }, (_, i) => ({
    event: { ...opened.event, messageId: `<${kind}-${i}@sender.example>` } as RoutedEvent['event'],
    destinations: [SUBSCRIPTION, SUBSCRIPTION_2],
  }));
  return [...opens, ...events];
}
