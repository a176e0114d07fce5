import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { eventOfFields, exampleCampaignEvent, exampleEvent, fieldsOfEvent, version2Fragment } from '@mailhook/core';
import type { ProducerEvent } from '@mailhook/core';
import {
  compareEntries,
  createEventLog,
  createFolderStore,
  entryName,
  MissingObjectError,
  notificationStem,
  outcomeKey,
  parseEntryName,
} from './index.ts';
import type {
  DamagedLogError,
  EntryPosition,
  EventLog,
  EventLogOptions,
  EventOutcome,
  LogContent,
  LogExtent,
  LoggedEvent,
  LoggedGap,
  LoggedOutcome,
  LogItem,
  LogPage,
  LogQuery,
  LogStore,
  OutcomeResult,
  ScanPage,
} from './index.ts';
import { createLogHash } from './fingerprint.ts';
import { SegmentWriter } from './segment-writer.ts';

const EMPTY: LogContent = { events: [], outcomes: [], gaps: [] };

const position = (n: number): EntryPosition => ({ acceptedAtMs: Date.now(), chunk: 'c-1', n });
const logged = (n: number, event: object, account = 'acme'): LoggedEvent => ({
  ...position(n),
  destinations: ['d1'],
  ...fieldsOfEvent({ ...event, account } as ProducerEvent),
});
const delivered = (key: string, more: Partial<LoggedOutcome> = {}): LoggedOutcome => ({
  account: 'acme',
  destination: 'd1',
  result: 'delivered' satisfies OutcomeResult,
  attempt: 1,
  atMs: Date.now(),
  webhookId: 'msg_1',
  replay: '',
  keys: outcomeKey(key),
  ...more,
});

describe('the event log in a folder', () => {
  let folder: string;
  let store: LogStore;
  let log: EventLog;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'mailhook-event-log-'));
    store = createFolderStore(folder);
    const options: EventLogOptions = { store, key: 'secret', retentionMs: 3 * 24 * 60 * 60 * 1000 };
    log = createEventLog(options);
  });
  afterEach(() => rm(folder, { recursive: true }));

  const search = (query: LogQuery, recent = EMPTY): Promise<LogPage> => log.search(query, recent, { limit: 50 });
  const segments = async () => {
    const files = await readdir(path.join(folder, 'segments', '0'));
    return files.map((file) => path.join(folder, 'segments', '0', file));
  };

  it('finds events, outcomes and gaps, from the buffer and from segments', async () => {
    const event = logged(1, { ...exampleEvent('open'), id: 'evt-1' });
    const gap: LoggedGap = { account: 'acme', fromMs: 5, toMs: Date.now(), events: 3, reason: 'store' };
    const content: LogContent = { events: [event], outcomes: [], gaps: [gap] };
    const items: LogItem[] = [
      { event, outcomes: [{ destination: 'd1', result: 'waiting', attempt: 0, webhookId: '', replay: '' }] },
    ];
    expect(await search({ account: 'acme' }, content)).toEqual({ items, gaps: [gap] });
    await log.close('0', content);
    expect(await search({ account: 'acme' }, content)).toEqual({ items, gaps: [gap] });
    expect(await search({ account: 'acme' })).toEqual({ items, gaps: [gap] });
    const scanned: ScanPage = await log.scan({ account: 'acme', id: 'evt-1' }, EMPTY, { limit: 5 });
    expect(scanned).toEqual({ items, position: event, isAtEnd: true, lost: 0 });
    expect((await log.find('acme', [entryName(event)], EMPTY))[0]?.event).toEqual(event);
    const extent: LogExtent = await log.extent();
    expect(extent).toMatchObject({ segments: 1, oldestMs: event.acceptedAtMs });
    expect(extent.bytes).toBe((await stat((await segments())[0]!)).size);
  });

  it('knows an event by the names in all of its bodies', async () => {
    const campaign = exampleCampaignEvent('open');
    const notification = exampleEvent('bounce');
    const fragment = (event: Parameters<typeof version2Fragment>[0]) =>
      JSON.parse(`${version2Fragment(event, (text) => text.padEnd(22, 'x'))}1}`) as { hash: string; id: string };
    const events = [
      logged(1, { ...campaign, hash: 'hash-of-the-producer' }),
      logged(2, { ...notification, id: 'short' }),
      logged(3, { ...notification, id: 'an id of more than ten characters' }),
    ];
    const keys = ['hash-of-the-producer', 'short', notificationStem(events[2]!)];
    await log.close('0', { ...EMPTY, events, outcomes: keys.map((key, i) => delivered(key, { attempt: i + 1 })) });
    const { items } = await search({ account: 'acme', outcome: 'delivered' });
    const outcomes: (EventOutcome | undefined)[] = items.map((one) => one.outcomes[0]);
    expect(outcomes.map((one) => one?.attempt)).toEqual([3, 2, 1]);
    expect(fragment(eventOfFields(events[1]!)).id).toBe('short');
  });

  it('has names in the order of the log', () => {
    const [a, b] = [position(9), { ...position(10), acceptedAtMs: 1 }];
    expect(parseEntryName(entryName(a))).toEqual(a);
    expect(compareEntries(a, b)).toBeGreaterThan(0);
    for (const name of ['', '1-2-3', 'x', '1-c', '1-c-1-x', `${'9'.repeat(16)}-c-1`])
      expect(parseEntryName(name)).toBeUndefined();
  });

  it('shows a gap in the place of what is damaged, wherever it is, and all that is not', async () => {
    const accounts = ['acme', 'beta', 'gamma'];
    const events = accounts.flatMap((account) =>
      Array.from({ length: 20 }, (_, n) => logged(n, { ...exampleEvent('open'), id: `${account}-${n}` }, account)),
    );
    await log.close('0', { ...EMPTY, events });
    const [file] = await segments();
    const whole = await readFile(file!);
    const reported: DamagedLogError[] = [];
    const reopen = () => {
      reported.length = 0;
      log = createEventLog({ store, key: 'secret', retentionMs: 1e9, onDamaged: (error) => reported.push(error) });
    };
    const damagedBlocks = new Set<string>();
    let damagedSegments = 0;
    for (let at = 0; at < whole.length; at += 7) {
      const bytes = Buffer.from(whole);
      bytes[at] = bytes[at]! ^ 0x41;
      await writeFile(file!, bytes);
      reopen();
      const pages = await Promise.all(accounts.map((account) => search({ account })));
      const lacking = accounts.filter((account, i) => {
        const { items, gaps } = pages[i]!;
        expect(items.map(({ event }) => event.account)).toEqual(items.map(() => account));
        if (items.length === 20) return false;
        expect(items).toEqual([]);
        expect(gaps).toEqual([expect.objectContaining({ account, reason: 'store' })]);
        return true;
      });
      expect(reported).toHaveLength(lacking.length === 0 ? 0 : 1);
      for (const error of reported) expect(error.object).toBe(`segments/0/${path.basename(file!)}`);
      if (lacking.length === 3) damagedSegments += 1;
      else for (const account of lacking) damagedBlocks.add(account);
      expect(lacking.length).not.toBe(2);
    }
    expect(damagedBlocks).toEqual(new Set(accounts));
    expect(damagedSegments).toBeGreaterThan(0);
    for (const length of [0, 5, 20, whole.length - 1]) {
      await writeFile(file!, whole.subarray(0, length));
      reopen();
      const { items, gaps } = await search({ account: 'acme' });
      expect([items, gaps]).toEqual([[], [expect.objectContaining({ reason: 'store', events: 0 })]]);
      expect(await log.holdsAccount('acme')).toBe(true);
    }
  });

  it('shows nothing under another key', async () => {
    await log.close('0', { ...EMPTY, events: [logged(1, exampleEvent('open'))] });
    log = createEventLog({ store, key: 'other', retentionMs: 1e9 });
    expect((await search({ account: 'acme' })).items).toEqual([]);
    const [{ name } = { name: '' }] = await store.list('segments/');
    await store.delete(name);
    await expect(store.get(name)).rejects.toThrow(MissingObjectError);
  });
});

it('keeps little of each block while it writes a segment', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const keptBytes = async (): Promise<number> => {
    for (let i = 0; i < 3; i += 1) {
      await setImmediate();
      collect();
    }
    return process.memoryUsage().arrayBuffers;
  };
  const writer = new SegmentWriter(createLogHash('secret'), 1);
  const startBytes = await keptBytes();
  for (let n = 0; n < 3000; n += 1) {
    const events = Array.from({ length: 5 }, (_, i) => logged(i, exampleCampaignEvent('open'), `account-${n}`));
    writer.block({ ...EMPTY, account: `account-${n}`, events, folded: [] }, undefined);
  }
  expect((await keptBytes()) - startBytes).toBeLessThan(1_000_000);
  expect(writer.finish([]).length).toBeGreaterThan(0);
});
