import { eventOfFields, fieldsOfEvent } from '@mailhook/core';
import type { ProducerEvent } from '@mailhook/core';
import fc from 'fast-check';
import { anyEvents, anyGap, anyOutcomesOf, ACCOUNTS, cutInto, EMPTY, START_MS } from './arbitrary-log.suite.ts';
import { entryName } from './entry.ts';
import type { LogContent, LoggedEvent, LoggedOutcome, LogItem } from './entry.ts';
import { outcomeKey, outcomeKeysOf } from './event-keys.ts';
import { createEventLog } from './event-log.ts';
import type { EventLog } from './event-log.ts';
import { DAY_MS, HOUR_MS } from './maintenance.ts';
import { createMemoryStore } from './memory-store.suite.ts';
import type { MemoryStore } from './memory-store.suite.ts';
import { scanPlainly } from './plain-scan.suite.ts';
import { parseSegmentName } from './segment-name.ts';
import type { LogStore } from './store.ts';

const MINUTE_MS = 60_000;
const RETENTION_MS = 3 * DAY_MS;

/** The events, each with an id and a time of its own, so that no two share their outcomes. */
const distinct = (events: readonly LoggedEvent[]): LoggedEvent[] =>
  events.map((event, i) => {
    const source = eventOfFields(event);
    const time = 'campaign' in source ? { timestamp: 1_790_000_000 + i } : { time: 1_790_000_000 + i };
    return { ...event, ...fieldsOfEvent({ ...source, ...time, id: `evt-${i}` }) };
  });

const anyLog = anyEvents.map(distinct).chain((events) =>
  fc.record({
    events: fc.constant(events),
    outcomes: anyOutcomesOf(events, outcomeKeysOf),
    gaps: fc.array(anyGap, { maxLength: 3 }),
    places: fc.array(fc.nat(20), { minLength: 1, maxLength: 30 }),
    parts: fc.integer({ min: 1, max: 8 }),
  }),
);

/** Fails at the given operations that change something, before or after it has happened. */
const failingAt = (store: LogStore, failures: ReadonlySet<number>): LogStore => {
  let operations = 0;
  const orFail = async (run: () => Promise<void>): Promise<void> => {
    operations += 1;
    const fails = failures.has(operations);
    if (fails && operations % 2 === 0) throw new Error('crash before');
    await run();
    if (fails) throw new Error('crash after');
  };
  return {
    ...store,
    put: (name, chunks) => orFail(() => store.put(name, chunks)),
    delete: (name) => orFail(() => store.delete(name)),
  };
};

const partsOf = ({ events, outcomes, gaps, places, parts }: LogContent & { places: number[]; parts: number }) => {
  const cut = { events: cutInto(events, places, parts), gaps: cutInto(gaps, places, parts) };
  const outcomesCut = cutInto(outcomes, places, parts);
  return cut.events.map((some, i): LogContent => ({ events: some, outcomes: outcomesCut[i]!, gaps: cut.gaps[i]! }));
};

const summary = (items: readonly LogItem[]) =>
  items.map(({ event, outcomes }) => [entryName(event), event.fields, event.destinations, outcomes]);

async function expectLike(log: EventLog, content: LogContent, isHidden?: (event: LoggedEvent) => boolean) {
  for (const account of ACCOUNTS) {
    const found = await log.search({ account }, EMPTY, { limit: 5000 });
    const plain = scanPlainly(content, { account }, isHidden);
    expect(summary(found.items)).toEqual(summary(plain.items));
    expect(found.gaps).toHaveLength(plain.gaps.length);
    expect(found.gaps).toEqual(expect.arrayContaining(plain.gaps));
  }
}

describe('maintenance', () => {
  let nowMs: number;
  const open = (store: LogStore) =>
    createEventLog({ store, key: 'secret', retentionMs: RETENTION_MS, nowMs: () => nowMs });
  const objects = (store: MemoryStore) => [...store.objects.keys()].filter((name) => name.startsWith('segments/'));

  beforeEach(() => {
    nowMs = START_MS;
  });

  it('loses and doubles nothing, in merges at any time, by several processes, with crashes at any place', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyLog,
        fc.array(fc.integer({ min: 1, max: 3 * 60 }), { minLength: 12, maxLength: 12 }),
        fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 8 }),
        async (content, minutes, failures) => {
          nowMs = START_MS;
          const store = createMemoryStore(() => nowMs);
          const first = open(failingAt(store, new Set(failures)));
          const second = open(store);
          const parts = partsOf(content);
          for (const [i, part] of parts.entries()) {
            nowMs += (minutes[i] ?? 1) * MINUTE_MS;
            await first.close('0', part).catch(() => second.close('0', part));
            const runs = i % 3 === 0 ? [first, second] : [first];
            await Promise.allSettled(runs.map((log) => log.maintain('0')));
          }
          await expectLike(second, content);
          nowMs += DAY_MS / 2;
          await Promise.allSettled([first.maintain('0')]);
          await expectLike(second, content);
          nowMs += HOUR_MS;
          await second.maintain('0');
          await expectLike(second, content);
        },
      ),
      { numRuns: 150 },
    );
  }, 120_000);

  const event = (n: number, more: object = {}, account = 'acme'): LoggedEvent => ({
    acceptedAtMs: nowMs,
    chunk: `c${n}`,
    n: 0,
    destinations: ['d1'],
    ...fieldsOfEvent({
      account,
      module: 'transactional_email',
      time: 1,
      name: 'sent',
      messageId: `m${n}`,
      ...more,
    } as ProducerEvent),
  });

  it('makes one object of 5 minutes, an hour and a part of the retention, and deletes the others later', async () => {
    const store = createMemoryStore(() => nowMs);
    const log = open(store);
    // The start of a span of 6 hours.
    nowMs = Math.ceil(START_MS / (RETENTION_MS / 12)) * (RETENTION_MS / 12);
    const counts: number[] = [];
    for (let n = 0; n < 15 * 60; n += 1) {
      await log.close('0', { ...EMPTY, events: [event(n)] });
      nowMs += MINUTE_MS;
      if (n % 5 === 1) {
        await log.maintain('0');
        counts.push(objects(store).length);
      }
    }
    // The replaced ones of 15 minutes are among them.
    expect(Math.max(...counts)).toBeLessThan(60);
    nowMs += 10 * HOUR_MS;
    await log.maintain('0');
    // The last closed ones are replaced and still there. A reader needs none of their indexes.
    const closedIn = (names: readonly string[]) => names.filter((name) => parseSegmentName(name)?.generation === 0);
    store.reads.length = 0;
    await open(store).search({ account: 'acme' }, EMPTY, { limit: 1 });
    expect(closedIn(objects(store))).not.toEqual([]);
    expect(closedIn(store.reads.map(({ name }) => name))).toEqual([]);
    nowMs += 16 * MINUTE_MS;
    await log.maintain('0');
    expect(objects(store)).toHaveLength(3);
    const { events, isComplete } = await log.count({ account: 'acme' }, EMPTY);
    expect({ events, isComplete }).toEqual({ events: 15 * 60, isComplete: true });
  });

  it('merges around what is damaged, and deletes that at its time', async () => {
    const store = createMemoryStore(() => nowMs);
    const log = open(store);
    for (let n = 0; n < 3; n += 1) await log.close('0', { ...EMPTY, events: [event(n)] });
    const [block, index] = objects(store);
    const damage = (name: string, place: number): void => {
      const { bytes } = store.objects.get(name)!;
      bytes[place < 0 ? bytes.length + place : place]! ^= 1;
    };
    damage(block!, 20);
    for (let n = 3; n < 5; n += 1) await log.close('0', { ...EMPTY, events: [event(n)] });
    damage(index!, -20);
    nowMs += HOUR_MS;
    expect(await log.maintain('0')).toMatchObject({ merged: 3 });
    nowMs += HOUR_MS;
    await log.maintain('0');
    expect(objects(store)).toHaveLength(3);
    const { items, gaps } = await log.search({ account: 'acme' }, EMPTY, { limit: 9 });
    expect([items.length, gaps.length]).toEqual([3, 2]);
    const scanned = await log.scan({ account: 'acme' }, EMPTY, { limit: 9 });
    expect([scanned.items.length, scanned.lost]).toEqual([3, 1]);
    expect(await log.count({ account: 'acme', messageId: 'm0' }, EMPTY)).toMatchObject({ isComplete: false });
    nowMs += RETENTION_MS + DAY_MS;
    await log.maintain('0');
    expect(objects(store)).toEqual([]);
  });

  it('folds outcomes into the segment of their event', async () => {
    const store = createMemoryStore(() => nowMs);
    const log = open(store);
    const first = event(1);
    await log.close('0', { ...EMPTY, events: [first] });
    const facts = { account: 'acme', destination: 'd1', attempt: 2, replay: '', webhookId: 'msg_1' };
    const keys = Buffer.from([...outcomeKeysOf(first)][0]!, 'hex');
    const results = ['waiting', 'dead'] as const;
    const outcomes = results.map((result, i) => ({ ...facts, result, atMs: nowMs + i, keys }));
    await log.close('0', { ...EMPTY, outcomes });
    nowMs += HOUR_MS;
    expect(await log.maintain('0')).toMatchObject({ merged: 2 });
    nowMs += HOUR_MS;
    await log.maintain('0');
    expect(objects(store)).toHaveLength(1);
    const { items } = await log.search({ account: 'acme', outcome: 'dead' }, EMPTY, { limit: 5 });
    expect(items).toMatchObject([
      { outcomes: [{ destination: 'd1', result: 'dead', attempt: 2, webhookId: 'msg_1' }] },
    ]);
  });

  it('takes over large blocks as they are, twice closed ones too, and still finds and folds all', async () => {
    const store = createMemoryStore(() => nowMs);
    const log = open(store);
    const types = ['sent', 'delivered'];
    const all: LoggedEvent[] = [];
    for (let i = 0; i < 3; i += 1) {
      const events = Array.from({ length: 600 }, (_, n) => {
        const name = types[(i + (n % 2)) % 3];
        return { ...event(600 * i + n, { name, id: `evt-${i}-${n}`, ip: '127.0.0.1' }), acceptedAtMs: nowMs + (n % 7) };
      });
      const others = Array.from({ length: 3 }, (_, n) => event(10_000 + 3 * i + n, {}, 'beta'));
      all.push(...events, ...others);
      await log.close('0', { ...EMPTY, events: [...events, ...others] });
      if (i === 1) await log.close('0', { ...EMPTY, events });
      nowMs += 1000;
    }
    const facts = { account: 'acme', destination: 'd1', attempt: 1, replay: '', webhookId: 'msg_1', atMs: nowMs };
    const keys = Buffer.concat([...Array(40).keys()].map((n) => outcomeKey(`evt-2-${n}`)));
    const late: LoggedOutcome = { ...facts, result: 'delivered', keys };
    await log.close('0', { ...EMPTY, outcomes: [late] });
    const content = { events: all, outcomes: [late], gaps: [] };
    const check = async () => {
      await expectLike(log, content);
      for (const type of types) {
        const { items } = scanPlainly(content, { account: 'acme', types: [type] });
        expect(await log.count({ account: 'acme', types: [type] }, EMPTY)).toEqual({ events: 600, isComplete: true });
        expect(items).toHaveLength(600);
      }
      const found = await log.search({ account: 'acme', id: 'evt-2-3' }, EMPTY, { limit: 5 });
      expect(found.items).toMatchObject([{ outcomes: [{ result: 'delivered' }] }]);
    };
    await check();
    nowMs += HOUR_MS;
    expect(await log.maintain('0')).toMatchObject({ merged: 5 });
    await check();
    // Enough outcomes to fold them.
    const many = all.filter(({ account }) => account === 'acme').map((one) => [...outcomeKeysOf(one)][0]!);
    const dead: LoggedOutcome = { ...facts, result: 'dead', atMs: nowMs, keys: Buffer.from(many.join(''), 'hex') };
    await log.close('0', { ...EMPTY, outcomes: [dead] });
    content.outcomes.push(dead);
    nowMs += DAY_MS;
    await log.maintain('0');
    nowMs += HOUR_MS;
    await log.maintain('0');
    await expectLike(log, content);
  });

  it('deletes what is beyond the retention, unless a clock is wrong', async () => {
    let storeMs = 0;
    const store = createMemoryStore(() => nowMs + storeMs);
    const log = open(store);
    await log.close('0', { ...EMPTY, events: [event(1)] });
    nowMs += RETENTION_MS + 1;
    storeMs = -2 * HOUR_MS;
    expect(await log.maintain('0')).toMatchObject({ deleted: 0, clockDifferenceMs: -2 * HOUR_MS });
    storeMs = 0;
    expect(await log.maintain('0')).toMatchObject({ deleted: 1, clockDifferenceMs: 0 });
    expect([...store.objects.keys()]).toEqual([]);
  });

  it('hides what is erased from all processes, and takes its bytes out in a daily pass', async () => {
    const store = createMemoryStore(() => nowMs);
    const [log, other] = [open(store), open(store)];
    const all = [event(1, { email: 'Anna@Example.com' }), event(2, { email: 'bob@example.com' }), event(3)];
    await log.close('0', { ...EMPTY, events: all });
    const shown = async (from: EventLog) =>
      (await from.search({ account: 'acme' }, EMPTY, { limit: 9 })).items.map(({ event: { chunk } }) => chunk).sort();
    expect(await shown(other)).toEqual(['c1', 'c2', 'c3']);
    const erased = await log.erase('acme', { email: ' anna@example.COM' });
    await log.erase('acme', { messageId: 'm3' });
    await log.erase('beta', { email: 'bob@example.com' });
    expect(await shown(log)).toEqual(['c2']);
    nowMs += 1000;
    expect(await shown(other)).toEqual(['c2']);
    // A closer leaves them out, but not what was accepted later.
    const late = { ...event(4, { email: 'anna@example.com' }), acceptedAtMs: all[0]!.acceptedAtMs };
    await other.close('0', { ...EMPTY, events: [late, event(5, { email: 'anna@example.com' })] });
    expect(await shown(log)).toEqual(['c2', 'c5']);

    nowMs += 12 * HOUR_MS;
    expect(await log.maintain('0')).toMatchObject({ rewritten: 0 });
    nowMs += 9 * HOUR_MS;
    await log.maintain('0');
    nowMs += HOUR_MS;
    await log.maintain('0');
    expect(nowMs).toBeLessThan(erased.goneFromLogByMs);
    const stored = createEventLog({ store, key: 'secret', retentionMs: RETENTION_MS, nowMs: () => nowMs });
    for (const name of store.objects.keys()) if (name.startsWith('erasures/')) store.objects.delete(name);
    expect(await shown(stored)).toEqual(['c2', 'c5']);
    // One pass was enough.
    nowMs += 2 * DAY_MS;
    expect(await log.maintain('0')).toMatchObject({ rewritten: 0 });
  });

  it('knows until when it holds anything of a deleted account', async () => {
    const store = createMemoryStore(() => nowMs);
    const log = open(store);
    await log.close('0', { ...EMPTY, events: [event(1), event(2, {}, 'beta')] });
    await log.erase('acme', 'all');
    expect((await log.search({ account: 'acme' }, EMPTY, { limit: 9 })).items).toEqual([]);
    expect(await log.holdsAccount('acme')).toBe(true);
    nowMs += 21 * HOUR_MS;
    expect(await log.maintain('0')).toMatchObject({ rewritten: 1 });
    // The replaced object still has its bytes.
    expect(await log.holdsAccount('acme')).toBe(true);
    nowMs += HOUR_MS;
    await log.maintain('0');
    expect(await log.holdsAccount('acme')).toBe(false);
    expect(await log.holdsAccount('beta')).toBe(true);
    expect((await log.search({ account: 'beta' }, EMPTY, { limit: 9 })).items).toHaveLength(1);
  });
});
