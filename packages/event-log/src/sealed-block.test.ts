import { randomBytes } from 'node:crypto';
import { exampleEvent, fieldsOfEvent } from '@mailhook/core';
import { createEventLog } from './index.ts';
import type { BlockKeys, EventLog, LogContent, LoggedEvent } from './index.ts';
import { createMemoryStore } from './memory-store.suite.ts';

const EMPTY: LogContent = { events: [], outcomes: [], gaps: [] };
const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2026, 0, 31, 23, 50);

/** Keys as the api keeps them with its accounts. */
function keysOf(accounts: string[]) {
  const made = new Map<string, Buffer>();
  const unreadable = new Set<string>();
  let month = 672;
  const keys: BlockKeys = {
    current: async (account) => {
      if (!accounts.includes(account)) return undefined;
      const key = (await keys.ofMonth(account, month)) ?? randomBytes(32);
      if (key === 'unreadable') return key;
      made.set(`${account} ${month}`, key);
      return { month, key };
    },
    ofMonth: (account, of) => {
      if (unreadable.has(account)) return Promise.resolve('unreadable');
      return Promise.resolve(accounts.includes(account) ? made.get(`${account} ${of}`) : undefined);
    },
  };
  return { keys, made, unreadable, nextMonth: () => void (month += 1) };
}

describe('sealed blocks of the event log', () => {
  const logged = (n: number, account: string, atMs = START_MS): LoggedEvent => ({
    acceptedAtMs: atMs,
    chunk: 'c',
    n,
    destinations: ['d'],
    ...fieldsOfEvent({ ...exampleEvent('open'), account, id: `${account}-${n}` }),
  });
  const idsOf = async (log: EventLog, account: string): Promise<string[]> => {
    const { items } = await log.search({ account }, EMPTY, { limit: 50 });
    return items.map(({ event }) => /"id":"([^"]+)"/.exec(event.fields)?.[1] ?? '');
  };

  it('are read with the keys of their account and month, also after a merge in the next month', async () => {
    const store = createMemoryStore();
    const accounts = ['acme', 'beta'];
    const { keys, made, nextMonth } = keysOf(accounts);
    let nowMs = START_MS;
    const open = (more: object) =>
      createEventLog({ store, key: 'secret', retentionMs: 1e9, nowMs: () => nowMs, ...more });
    const log = open({ keys });
    await log.close('0', { ...EMPTY, events: [logged(1, 'acme'), logged(1, 'beta')] });
    nextMonth();
    await log.close('0', { ...EMPTY, events: [logged(2, 'acme'), logged(3, 'gone')] });
    expect([await idsOf(log, 'acme'), await idsOf(log, 'beta')]).toEqual([['acme-2', 'acme-1'], ['beta-1']]);
    expect([...made.keys()].sort()).toEqual(['acme 672', 'acme 673', 'beta 672']);
    nowMs += 30 * MINUTE_MS;
    expect((await log.maintain('0')).merged).toBe(2);
    // The merge has sealed everything with the keys of its own month.
    made.delete('acme 672');
    made.delete('beta 672');
    expect([await idsOf(log, 'acme'), await idsOf(log, 'beta')]).toEqual([['acme-2', 'acme-1'], ['beta-1']]);
    expect(await idsOf(log, 'gone')).toEqual([]);
    accounts.pop();
    expect([await idsOf(log, 'acme'), await idsOf(log, 'beta')]).toEqual([['acme-2', 'acme-1'], []]);
  });

  it('do not stop the log of others while the key of an account cannot be read, and come back with it', async () => {
    const store = createMemoryStore();
    const { keys, unreadable } = keysOf(['acme', 'beta']);
    let nowMs = START_MS;
    const log = createEventLog({ store, key: 'secret', keys, retentionMs: 1e9, nowMs: () => nowMs });
    await log.close('0', { ...EMPTY, events: [logged(1, 'acme'), logged(1, 'beta')] });
    unreadable.add('acme');
    await log.close('0', { ...EMPTY, events: [logged(2, 'acme'), logged(2, 'beta')] });
    expect(await idsOf(log, 'beta')).toEqual(['beta-2', 'beta-1']);
    const { items, gaps } = await log.search({ account: 'acme' }, EMPTY, { limit: 5 });
    expect([items, gaps.length]).toEqual([[], 1]);
    nowMs += 30 * MINUTE_MS;
    expect((await log.maintain('0')).merged).toBe(2);
    expect(await idsOf(log, 'beta')).toEqual(['beta-2', 'beta-1']);
    unreadable.clear();
    expect(await idsOf(log, 'acme')).toEqual(['acme-1']);
    const after = await log.search({ account: 'acme' }, EMPTY, { limit: 5 });
    expect(after.gaps).toEqual([{ account: 'acme', fromMs: START_MS, toMs: START_MS, events: 1, reason: 'store' }]);
  });

  it('show a gap without the keys, and nothing of the events', async () => {
    const store = createMemoryStore();
    const { keys } = keysOf(['acme']);
    const options = { store, key: 'secret', retentionMs: 1e9, nowMs: () => START_MS };
    await createEventLog({ ...options, keys }).close('0', { ...EMPTY, events: [logged(1, 'acme')] });
    const { items, gaps } = await createEventLog(options).search({ account: 'acme' }, EMPTY, { limit: 5 });
    expect([items, gaps.map(({ events, reason }) => [events, reason])]).toEqual([[], [[1, 'store']]]);
    const another = keysOf(['acme']);
    await another.keys.current('acme');
    const wrong = createEventLog({ ...options, keys: another.keys });
    expect((await wrong.search({ account: 'acme' }, EMPTY, { limit: 5 })).items).toEqual([]);
  });

  it('are found where earlier blocks are not sealed', async () => {
    const store = createMemoryStore();
    const options = { store, key: 'secret', retentionMs: 1e9, nowMs: () => START_MS };
    await createEventLog(options).close('0', { ...EMPTY, events: [logged(1, 'acme')] });
    const log = createEventLog({ ...options, keys: keysOf(['acme']).keys });
    await log.close('0', { ...EMPTY, events: [logged(2, 'acme')] });
    expect(await idsOf(log, 'acme')).toEqual(['acme-2', 'acme-1']);
  });
});
