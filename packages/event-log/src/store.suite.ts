import { MissingObjectError } from './store.ts';
import type { LogStore } from './store.ts';

/** What every store of the log must do. `open` makes an empty store. */
export function describeStore(open: () => Promise<LogStore>): void {
  let store: LogStore;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store.close());

  const text = async (name: string, range?: { start: number; end: number }) => String(await store.get(name, range));
  const names = async (prefix: string) => (await store.list(prefix)).map(({ name }) => name);

  it('gives back what was put, as a whole and in ranges', async () => {
    await store.put('a/whole', [Buffer.from('hello '), Buffer.from('world')]);
    expect(await text('a/whole')).toBe('hello world');
    expect(await text('a/whole', { start: 6, end: 9 })).toBe('wor');
    expect(await text('a/whole', { start: 0, end: 11 })).toBe('hello world');
  });

  it('has no object until all of its chunks have come, and none after an error', async () => {
    const before = await names('b/');
    const failing = (async function* () {
      yield Buffer.from('half');
      await Promise.resolve();
      expect(await names('b/')).toEqual(before);
      throw new Error('no more');
    })();
    await expect(store.put('b/failing', failing)).rejects.toThrow('no more');
    expect(await names('b/')).toEqual(before);
  });

  it('stores objects without bytes and large ones', async () => {
    await store.put('c/empty', []);
    expect(await text('c/empty')).toBe('');
    const chunks = Array.from({ length: 18 }, (_, i) => Buffer.alloc(1024 * 1024, i));
    await store.put('c/large', chunks);
    const [, large] = await store.list('c/');
    expect(large).toMatchObject({ name: 'c/large', bytes: 18 * 1024 * 1024 });
    const end = 9 * 1024 * 1024;
    expect(await store.get('c/large', { start: end - 1, end: end + 1 })).toEqual(Buffer.from([8, 9]));
  });

  it('lists by prefix, in order, with sizes and the time of the store', async () => {
    for (const name of ['d/y/2', 'd/x/1-b', 'd/x/1', 'd2/z']) await store.put(name, [Buffer.from(name)]);
    expect(await names('d/')).toEqual(['d/x/1', 'd/x/1-b', 'd/y/2']);
    expect(await names('d/x/1')).toEqual(['d/x/1', 'd/x/1-b']);
    expect(await names('nothing/')).toEqual([]);
    const [first] = await store.list('d/');
    expect(first?.bytes).toBe(5);
    expect(Math.abs((first?.storedAtMs ?? 0) - Date.now())).toBeLessThan(60 * 60 * 1000);
  });

  it('lists more than a thousand objects', async () => {
    for (let i = 0; i < 1010; i += 1) await store.put(`e/${i}`, []);
    expect(await names('e/')).toHaveLength(1010);
  }, 60_000);

  it('deletes, also what is not there', async () => {
    await store.put('f/gone', [Buffer.from('x')]);
    await store.delete('f/gone');
    await store.delete('f/gone');
    expect(await names('f/')).toEqual([]);
    await expect(store.get('f/gone')).rejects.toThrow(MissingObjectError);
    await expect(store.get('f/gone', { start: 0, end: 1 })).rejects.toThrow(MissingObjectError);
  });

  it('refuses a range beyond the end', async () => {
    await store.put('g/short', [Buffer.from('abc')]);
    await expect(store.get('g/short', { start: 1, end: 10 })).rejects.toThrow();
  });
}
