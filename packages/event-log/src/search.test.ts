import { eventHash, eventId, exampleCampaignEvent, fieldsOfEvent, typesOf } from '@mailhook/core';
import type { CampaignInput, ProducerEvent } from '@mailhook/core';
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import {
  anyEvents,
  anyGap,
  anyOutcomesOf,
  ACCOUNTS,
  cutInto,
  DESTINATIONS,
  EMAILS,
  EMPTY,
  START_MS,
} from './arbitrary-log.suite.ts';
import { compareEntries, entryName } from './entry.ts';
import type { LogContent, LogItem } from './entry.ts';
import { outcomeKeysOf } from './event-keys.ts';
import { createEventLog } from './event-log.ts';
import type { EventLog } from './event-log.ts';
import { createLogHash } from './fingerprint.ts';
import { createMemoryStore } from './memory-store.suite.ts';
import type { MemoryStore } from './memory-store.suite.ts';
import { scanPlainly } from './plain-scan.suite.ts';
import type { LogQuery } from './query.ts';
import { readSegmentIndex } from './segment-index.ts';

const NOW_MS = START_MS + 60_000;
const DAY_MS = 24 * 60 * 60 * 1000;

const anyLog = anyEvents.chain((events) =>
  fc.record({
    events: fc.constant(events),
    outcomes: anyOutcomesOf(events, outcomeKeysOf),
    gaps: fc.array(anyGap, { maxLength: 4 }),
    /** Where each one lies: the last part is the buffer. */
    places: fc.array(fc.nat(20), { minLength: 1, maxLength: 30 }),
    parts: fc.integer({ min: 1, max: 5 }),
    /** A part that is closed by two processes. */
    twice: fc.nat(4),
  }),
);

const anyQuery: fc.Arbitrary<LogQuery> = fc.record(
  {
    account: fc.constantFrom(...ACCOUNTS),
    fromMs: fc.integer({ min: 0, max: 40 }).map((ms) => START_MS + ms),
    toMs: fc.integer({ min: 0, max: 41 }).map((ms) => START_MS + ms),
    module: fc.constantFrom('campaign' as const, 'transactional_email' as const),
    types: fc.subarray([...typesOf('campaign')]),
    id: fc.constantFrom('evt-1', 'evt-2 "x"', 'nothing'),
    messageId: fc.constantFrom('m1', 'm2'),
    email: fc.constantFrom(...EMAILS, 'ANNA@example.com'),
    campaign: fc.constantFrom('aBcDeFgHiJ', 'JiHgFeDcBa'),
    destination: fc.constantFrom(...DESTINATIONS),
    outcome: fc.constantFrom('waiting' as const, 'delivered' as const, 'dead' as const, 'none' as const),
    missedBy: fc.record({
      destination: fc.constantFrom(...DESTINATIONS),
      how: fc.constantFrom('undelivered' as const, 'unmatched' as const),
    }),
  },
  { requiredKeys: ['account'] },
);

async function closeParts(
  log: EventLog,
  { events, outcomes, gaps, places, parts, twice }: LogContent & { places: number[]; parts: number; twice: number },
): Promise<LogContent> {
  const cut = { events: cutInto(events, places, parts), outcomes: [] as never, gaps: cutInto(gaps, places, parts) };
  const outcomesCut = cutInto(outcomes, places, parts);
  const contents = cut.events.map((some, i) => ({ events: some, outcomes: outcomesCut[i]!, gaps: cut.gaps[i]! }));
  const recent = contents.pop() ?? EMPTY;
  for (const [i, content] of contents.entries()) {
    await log.close(`${i % 2}`, content);
    if (i === twice) await log.close(`${i % 2}`, content);
  }
  return recent;
}

async function searchAll(log: EventLog, query: LogQuery, recent: LogContent, limit: number) {
  const found: { items: LogItem[]; gaps: unknown[] } = { items: [], gaps: [] };
  let cursor: string | undefined;
  for (let pages = 0; pages < 300; pages += 1) {
    const page = await log.search(query, recent, { limit, cursor });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    found.items.push(...page.items);
    found.gaps.push(...page.gaps);
    cursor = page.nextCursor;
    if (cursor === undefined) return found;
  }
  throw new Error('the search has no end');
}

type Range = MemoryStore['reads'][number];

/** Where the segments have blocks of an account, which stand together, and their filters. */
async function rangesOf({ objects }: MemoryStore, account: string): Promise<Range[]> {
  const ranges: Range[] = [];
  for (const [name, { bytes }] of objects) {
    if (!name.startsWith('segments/')) continue;
    const read = (start: number, end: number) => Promise.resolve(bytes.subarray(start, end));
    const index = await readSegmentIndex(bytes.length, read);
    const rows = index.rowsOf(createLogHash('secret').ofAccount(account));
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) continue;
    const filtersEnd = index.filtersAt + last.filterOffset + last.filterBytes;
    ranges.push({ name, start: first.offset, end: last.offset + last.bytes });
    ranges.push({ name, start: index.filtersAt + first.filterOffset, end: filtersEnd });
  }
  return ranges;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

const OPEN = fieldsOfEvent({
  account: 'acme',
  module: 'campaign',
  event: 'open',
  email: 'a@b.c',
} as unknown as ProducerEvent);

const summary = (items: readonly LogItem[]) =>
  items.map(({ event, outcomes }) => [entryName(event), event.fields, event.destinations, outcomes]);

describe('search', () => {
  const open = (nowMs: () => number = () => NOW_MS) =>
    createEventLog({ store: createMemoryStore(), key: 'secret', retentionMs: DAY_MS, nowMs });

  it('finds what a plain scan finds, page by page, however the log is cut into segments', async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, anyQuery, fc.integer({ min: 1, max: 7 }), async (content, query, limit) => {
        const log = open();
        const recent = await closeParts(log, content);
        const plain = scanPlainly(content, query);
        const found = await searchAll(log, query, recent, limit);
        expect(summary(found.items)).toEqual(summary(plain.items));
        expect(found.gaps).toHaveLength(plain.gaps.length);
        expect(found.gaps).toEqual(expect.arrayContaining(plain.gaps));
      }),
      { numRuns: 300 },
    );
  }, 60_000);

  it('goes on with a cursor after a budget that is already spent, and misses nothing', async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, anyQuery, async (content, query) => {
        let nowMs = NOW_MS;
        // Each look at the clock takes longer than a call may work.
        const log = open(() => (nowMs += 3000));
        const recent = await closeParts(log, content);
        const { items } = await searchAll(log, query, recent, 5);
        expect(summary(items)).toEqual(summary(scanPlainly(content, query).items));
      }),
    );
  }, 60_000);

  it('reads no byte of another account, once it knows the indexes', async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, anyQuery, async (content, query) => {
        const store = createMemoryStore();
        const log = createEventLog({ store, key: 'secret', retentionMs: DAY_MS, nowMs: () => NOW_MS });
        const recent = await closeParts(log, content);
        await log.search({ account: 'nobody' }, EMPTY, { limit: 1 });
        const own = await rangesOf(store, query.account);
        store.reads.length = 0;
        await searchAll(log, query, recent, 3);
        await log.count(query, recent);
        const isOwn = (read: Range) =>
          own.some(({ name, start, end }) => name === read.name && start <= read.start && read.end <= end);
        expect(store.reads.filter((read) => !isOwn(read))).toEqual([]);
      }),
    );
  }, 60_000);

  it('scans the same events from the oldest on, and counts them', async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, anyQuery, async (content, query) => {
        const log = open();
        const recent = await closeParts(log, content);
        const plain = scanPlainly(content, query).items.toReversed();
        const items: LogItem[] = [];
        let after: LogItem['event'] | undefined | Parameters<EventLog['scan']>[2]['after'];
        for (let isAtEnd = false; !isAtEnd;) {
          const page = await log.scan(query, recent, { limit: 3, after });
          items.push(...page.items);
          ({ isAtEnd, position: after } = page);
        }
        expect(summary(items)).toEqual(summary(plain));
        expect(await log.count(query, recent)).toEqual({ events: plain.length, isComplete: true });
      }),
    );
  }, 60_000);

  it('finds each entry by its name, for its account only', async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, async (content) => {
        const log = open();
        const recent = await closeParts(log, content);
        for (const event of content.events) {
          expect((await log.find(event.account, [entryName(event)], recent))[0]?.event.fields).toBe(event.fields);
          expect(await log.find('other', [entryName(event)], recent)).toEqual([]);
        }
        expect(await log.find('acme', ['no name', `${START_MS}-none-1`], recent)).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  it('finds many entries with one list of the segments, and reads only the blocks of their times', async () => {
    const store = createMemoryStore();
    const listed: string[] = [];
    const list = (prefix: string) => {
      listed.push(prefix);
      return store.list(prefix);
    };
    const log = createEventLog({ store: { ...store, list }, key: 'secret', retentionMs: DAY_MS, nowMs: () => NOW_MS });
    const events = Array.from({ length: 200 }, (_, n) => ({
      acceptedAtMs: START_MS + n,
      chunk: 'c',
      n,
      destinations: [],
      ...OPEN,
    }));
    for (let n = 0; n < 200; n += 10) await log.close('0', { ...EMPTY, events: events.slice(n, n + 10) });
    const names = events.filter(({ n }) => n % 20 < 5).map(entryName);
    const wanted = ['no name', ...names.toReversed()];
    await log.find('acme', wanted, EMPTY);
    listed.length = 0;
    store.reads.length = 0;
    const found = await log.find('acme', wanted, EMPTY);
    expect(found.map(({ event }) => entryName(event))).toEqual(names.toReversed());
    expect(listed.filter((prefix) => prefix.startsWith('segments/'))).toHaveLength(1);
    // The indexes are known. Every other segment has nothing that is wanted.
    expect(store.reads).toHaveLength(10);
  });

  it('reads the blocks of a page at the same time, and no more than it needs', async () => {
    const store = createMemoryStore();
    let [inFlight, rounds] = [0, 0];
    const get: MemoryStore['get'] = async (name, range) => {
      if (inFlight === 0) rounds += 1;
      inFlight += 1;
      await setImmediate();
      inFlight -= 1;
      return store.get(name, range);
    };
    const log = createEventLog({ store: { ...store, get }, key: 'secret', retentionMs: DAY_MS, nowMs: () => NOW_MS });
    const fields = (email: string) => ({ ...OPEN, fields: OPEN.fields.replace('a@b.c', email) });
    for (let at = START_MS; at < START_MS + 12; at += 1) {
      const event = { acceptedAtMs: at, chunk: 'c', destinations: [] };
      const events = ['a@b.c', `${at}@b.c`].map((email, n) => ({ ...event, n, ...fields(email) }));
      await log.close('0', { ...EMPTY, events });
    }
    for (const [filter, perBlock] of [[{ email: 'a@b.c' }, 1] as const, [{}, 2] as const]) {
      const query = { account: 'acme', ...filter };
      await log.search(query, EMPTY, { limit: 12 });
      for (const limit of [12, 4, 1]) {
        [store.reads.length, rounds] = [0, 0];
        const { items } = await log.search(query, EMPTY, { limit });
        // The indexes and filters are known.
        expect([items.length, store.reads.length, rounds]).toEqual([limit, Math.ceil(limit / perBlock), 1]);
      }
    }
  });

  it('finds events by the id and the hash that Mailhook derived, page by page', async () => {
    const log = open();
    const event = (n: number): ProducerEvent => ({
      ...exampleCampaignEvent('open'),
      account: 'acme',
      timestamp: n,
    });
    const events = Array.from({ length: 40 }, (_, n) => ({
      acceptedAtMs: START_MS + n,
      chunk: 'c',
      n,
      destinations: [],
      ...fieldsOfEvent(event(n)),
    }));
    await log.close('0', { ...EMPTY, events });
    const hash = eventHash(event(7) as CampaignInput, sha256);
    for (const id of [eventId(event(7), sha256), hash]) {
      expect((await searchAll(log, { account: 'acme', id }, EMPTY, 1)).items.map(({ event: { n } }) => n)).toEqual([7]);
      expect((await searchAll(log, { account: 'beta', id }, EMPTY, 1)).items).toEqual([]);
    }
    expect((await searchAll(log, { account: 'acme', id: 'x'.repeat(22) }, EMPTY, 9)).items).toEqual([]);
  });

  it('refuses a cursor of other filters', async () => {
    const log = open();
    const event = { acceptedAtMs: START_MS, chunk: 'c', destinations: [], ...OPEN };
    await log.close('0', { ...EMPTY, events: [1, 2].map((n) => ({ ...event, n })) });
    const { nextCursor } = await log.search({ account: 'acme' }, EMPTY, { limit: 1 });
    expect(nextCursor).toBeDefined();
    await expect(log.search({ account: 'beta' }, EMPTY, { limit: 1, cursor: nextCursor })).rejects.toThrow(RangeError);
    await expect(log.search({ account: 'acme' }, EMPTY, { limit: 1, cursor: 'x' })).rejects.toThrow(RangeError);
  });

  it('shows nothing beyond the retention', async () => {
    let nowMs = NOW_MS;
    const log = open(() => nowMs);
    const events = [0, 1].map((n) => ({
      acceptedAtMs: START_MS + n,
      chunk: 'c',
      n,
      destinations: [],
      ...OPEN,
    }));
    await log.close('0', { ...EMPTY, events });
    nowMs = START_MS + 1 + DAY_MS;
    const { items } = await log.search({ account: 'acme' }, EMPTY, { limit: 9 });
    expect(items.map(({ event }) => event.n)).toEqual([1]);
    expect(await log.find('acme', [entryName(events[0]!)], EMPTY)).toEqual([]);
    expect(compareEntries(events[0]!, events[1]!)).toBeLessThan(0);
  });
});
