import { fieldsOfEvent } from '@mailhook/core';
import type { LoggedFields, ProducerEvent } from '@mailhook/core';
import fc from 'fast-check';
import type { LogContent, LoggedEvent, LoggedGap, LoggedOutcome } from './entry.ts';
import { OUTCOME_RESULTS } from './entry.ts';
import { outcomeKey } from './event-keys.ts';

/** Arbitrary contents of a log of few accounts, destinations and milliseconds, so that much of it meets. */

export const START_MS = 1_790_000_000_000;
export const ACCOUNTS = ['acme', 'beta', 'a b"c'] as const;
export const DESTINATIONS = ['campaign', 'd1', 'd2', 'd3'] as const;
export const EMAILS = ['anna@example.com', 'Bob@Example.com', 'ü@example.com'] as const;

const anyAccount = fc.constantFrom(...ACCOUNTS);
const anyMs = fc.integer({ min: 0, max: 40 }).map((ms) => START_MS + ms);

const anyCampaignEvent = fc.record(
  {
    campaign: fc.constantFrom('aBcDeFgHiJ', 'JiHgFeDcBa'),
    email: fc.constantFrom(...EMAILS),
    timestamp: fc.constant(1_790_000_000),
    id: fc.constantFrom('evt-1', 'evt-2 "x"', 'evt-3'),
    messageId: fc.constantFrom('m1', 'm2'),
    event: fc.constantFrom('unsubscribe', 'delivered'),
  },
  { requiredKeys: ['campaign', 'email', 'timestamp', 'event'] },
);
const anyNotification = fc.record(
  {
    time: fc.constant(1_790_000_000),
    id: fc.constantFrom('evt-1', 'evt-4'),
    name: fc.constantFrom('open', 'delivered'),
    messageId: fc.constantFrom('m1', 'm2', 'm3'),
    email: fc.constantFrom(...EMAILS),
    tags: fc.constant(['\u2028', 'two\nlines']),
  },
  { requiredKeys: ['time', 'name', 'messageId'] },
);

const anySource = (account: string): fc.Arbitrary<LoggedFields> =>
  fc
    .oneof(
      anyCampaignEvent.map((event) => ({ account, module: 'campaign', ...event })),
      anyNotification.map((event) => ({ account, module: 'transactional_email', ...event })),
    )
    .map((event) => fieldsOfEvent(event as unknown as ProducerEvent));

/** Events of different names. */
export const anyEvents: fc.Arbitrary<LoggedEvent[]> = fc
  .uniqueArray(fc.tuple(fc.constantFrom('c', 'c-1', 'D2'), fc.integer({ min: 0, max: 30 })), {
    selector: ([chunk, n]) => `${chunk} ${n}`,
    maxLength: 40,
  })
  .chain((places) =>
    fc.tuple(
      ...places.map(([chunk, n]) =>
        fc
          .tuple(anyAccount, anyMs, fc.subarray([...DESTINATIONS]))
          .chain(([account, acceptedAtMs, destinations]) =>
            anySource(account).map((source) => ({ acceptedAtMs, chunk, n, ...source, destinations })),
          ),
      ),
    ),
  );

export const anyGap: fc.Arbitrary<LoggedGap> = fc
  .record({
    account: anyAccount,
    fromMs: anyMs,
    lengthMs: fc.integer({ min: 0, max: 9 }),
    events: fc.nat(5),
    reason: fc.constantFrom('store' as const, 'redis' as const),
  })
  .map(({ lengthMs, ...gap }) => ({ ...gap, toMs: gap.fromMs + lengthMs }));

/** Outcomes of these events under keys that their bodies have, each at another time. */
export const anyOutcomesOf = (events: readonly LoggedEvent[], keysOf: (event: LoggedEvent) => Iterable<string>) =>
  fc
    .array(
      fc.record({
        places: fc.uniqueArray(fc.nat(99), { minLength: 1, maxLength: 5 }),
        which: fc.nat(2),
        destination: fc.constantFrom(...DESTINATIONS),
        result: fc.constantFrom(...OUTCOME_RESULTS),
        attempt: fc.integer({ min: 1, max: 120 }),
        replay: fc.constantFrom('', 'replay-1'),
        isOfAnother: fc.boolean(),
      }),
      { maxLength: 12 },
    )
    .map((outcomes) =>
      outcomes.map(({ places, which, isOfAnother, ...facts }, i): LoggedOutcome => {
        const keys: Uint8Array[] = places.flatMap((place) => {
          const event = events[place % Math.max(1, events.length)];
          const all = event === undefined ? [] : [...keysOf(event)];
          return all.length === 0 ? [] : [Buffer.from(all[which % all.length]!, 'hex')];
        });
        if (isOfAnother || keys.length === 0) keys.push(outcomeKey(`another ${i}`));
        const account = events[places[0]! % Math.max(1, events.length)]?.account ?? 'acme';
        const more = { atMs: START_MS + ((i * 7919) % 1000) * 13 + i, webhookId: `msg_${i}` };
        return { ...facts, ...more, account, keys: Buffer.concat(keys) };
      }),
    );

/** Cuts a list at any places, into `parts` lists. */
export const cutInto = <One>(list: readonly One[], places: readonly number[], parts: number): One[][] => {
  const cut: One[][] = Array.from({ length: parts }, () => []);
  for (const [i, one] of list.entries()) cut[(places[i % Math.max(1, places.length)] ?? 0) % parts]!.push(one);
  return cut;
};

export const EMPTY: LogContent = { events: [], outcomes: [], gaps: [] };
