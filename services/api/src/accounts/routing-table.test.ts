import { newAccount, StoreUnavailableError } from '@mailhook/core';
import { createRoutingTable } from './routing-table.ts';
import { snapshotOf } from './snapshot.ts';
import type { AccountSnapshot } from './snapshot.ts';

/** A snapshot that a test recognizes by its account's name. */
const snapshot = (name: string): AccountSnapshot => snapshotOf(newAccount({ id: 'acc', name, createdAt: '' }));

/** A table over a store in which the test answers each lookup. */
function rig() {
  let nowMs = 0;
  const asked: { resolve: (found: AccountSnapshot | undefined) => void; reject: (error: Error) => void }[] = [];
  const table = createRoutingTable({
    lookUp: () => new Promise((resolve, reject) => asked.push({ resolve, reject })),
    now: () => nowMs,
    freshMs: 1000,
    size: 2,
  });
  return { table, asked, pass: (ms: number) => (nowMs += ms) };
}

const down = new StoreUnavailableError('away');
const nameOf = (found: AccountSnapshot | null | undefined) =>
  found === null || found === undefined ? found : found.account.name;

describe('routing table', () => {
  it('looks up an account once for simultaneous callers, and remembers it', async () => {
    const { table, asked } = rig();
    expect(table.peek('acc')).toBeUndefined();
    const both = [table.load('acc'), table.load('acc')];
    expect(asked).toHaveLength(1);
    asked[0]!.resolve(snapshot('one'));
    expect((await Promise.all(both)).map(nameOf)).toEqual(['one', 'one']);
    expect(nameOf(table.peek('acc'))).toBe('one');
    expect(nameOf(await table.load('acc'))).toBe('one');
    expect(asked).toHaveLength(1);
  });

  it('adds an account only if it has none, and pushes out nothing for it', () => {
    const { table, asked } = rig();
    table.install('acc', snapshot('one'));
    for (const id of ['acc', 'b', 'c']) table.add(id, () => snapshot('added'));
    expect(['acc', 'b', 'c'].map((id) => nameOf(table.peek(id)))).toEqual(['one', 'added', undefined]);
    expect(asked).toHaveLength(0);
  });

  it('serves a stale entry while one lookup refreshes it', async () => {
    const { table, asked, pass } = rig();
    table.install('acc', snapshot('old'));
    pass(1001);
    expect([nameOf(table.peek('acc')), nameOf(table.peek('acc'))]).toEqual(['old', 'old']);
    expect(asked).toHaveLength(1);
    asked[0]!.resolve(snapshot('new'));
    await table.load('acc');
    await Promise.resolve();
    expect(nameOf(table.peek('acc'))).toBe('new');
  });

  it('keeps serving stale entries while the store is down', async () => {
    const { table, asked, pass } = rig();
    table.install('acc', snapshot('old'));
    pass(5000);
    expect(nameOf(table.peek('acc'))).toBe('old');
    asked[0]!.reject(down);
    await expect(table.load('acc').then(nameOf)).resolves.toBe('old');
    expect(nameOf(table.peek('acc'))).toBe('old');
  });

  it('never uses an invalidated entry before a new lookup', async () => {
    const { table, asked } = rig();
    table.install('acc', snapshot('old'));
    table.invalidate('acc');
    expect(table.peek('acc')).toBeUndefined();
    const refused = table.load('acc');
    asked[0]!.reject(down);
    await expect(refused).rejects.toBe(down);
    const loaded = table.load('acc');
    asked[1]!.resolve(snapshot('new'));
    expect(nameOf(await loaded)).toBe('new');
  });

  it('ignores the result of a lookup that a change overtook', async () => {
    const { table, asked } = rig();
    const loaded = table.load('acc');
    table.invalidate('acc');
    asked[0]!.resolve(snapshot('before the change'));
    await Promise.resolve();
    await Promise.resolve();
    expect(asked).toHaveLength(2);
    asked[1]!.resolve(snapshot('after the change'));
    expect(nameOf(await loaded)).toBe('after the change');
    expect(nameOf(table.peek('acc'))).toBe('after the change');
  });

  it('does not let an older lookup replace what a write installed', async () => {
    const { table, asked } = rig();
    const loaded = table.load('acc');
    table.install('acc', snapshot('written'));
    asked[0]!.resolve(snapshot('before'));
    expect(nameOf(await loaded)).toBe('written');
    expect(nameOf(table.peek('acc'))).toBe('written');
  });

  it('looks up entries again after a gap, but serves them while the store is down', async () => {
    const { table, asked } = rig();
    table.install('acc', snapshot('old'));
    table.doubtAll();
    expect(table.peek('acc')).toBeUndefined();
    const loaded = table.load('acc');
    asked[0]!.reject(down);
    expect(nameOf(await loaded)).toBe('old');
    expect(nameOf(table.peek('acc'))).toBe('old');
  });

  it('remembers only briefly that an account does not exist', async () => {
    const { table, asked, pass } = rig();
    const loaded = table.load('acc');
    asked[0]!.resolve(undefined);
    expect(await loaded).toBeNull();
    expect(table.peek('acc')).toBeNull();
    pass(501);
    expect(table.peek('acc')).toBeUndefined();
    table.invalidate('acc');
    expect(table.peek('acc')).toBeUndefined();
  });

  it('evicts unused accounts, but never the most recently used ones', () => {
    const { table } = rig();
    for (let i = 0; i < 10; i += 1) table.install(`acc${i}`, snapshot(`${i}`));
    expect(table.peek('acc0')).toBeUndefined();
    expect(nameOf(table.peek('acc9'))).toBe('9');
  });

  it('never evicts an account for missing ones', async () => {
    const { table, asked } = rig();
    table.install('acc', snapshot('Acme'));
    const missing = Array.from({ length: 100 }, (_, i) => table.load(`missing${i}`));
    for (const one of asked) one.resolve(undefined);
    await Promise.all(missing);
    expect(table.peek('missing99')).toBeNull();
    expect(nameOf(table.peek('acc'))).toBe('Acme');
  });

  it('knows immediately that an account was deleted, or created again', async () => {
    const { table, asked } = rig();
    table.install('acc', snapshot('Acme'));
    table.install('acc', null);
    expect(table.peek('acc')).toBeNull();
    table.invalidate('acc');
    const loaded = table.load('acc');
    asked[0]!.resolve(snapshot('again'));
    expect(nameOf(await loaded)).toBe('again');
    expect(nameOf(table.peek('acc'))).toBe('again');
  });
});
