import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createFolderStore } from './folder-store.ts';
import { createMemoryStore } from './memory-store.suite.ts';
import { describeStore } from './store.suite.ts';

const folders: string[] = [];
const newFolder = async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'mailhook-event-log-'));
  folders.push(folder);
  return folder;
};
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

describe('a store in memory', () => {
  describeStore(() => Promise.resolve(createMemoryStore()));
});

describe('a store in a folder', () => {
  describeStore(async () => createFolderStore(path.join(await newFolder(), 'made', 'by', 'itself')));

  it('refuses names that lead out of the folder', async () => {
    const store = createFolderStore(await newFolder());
    await expect(store.put('../x', [])).rejects.toThrow(RangeError);
    await expect(store.put('.unfinished-1', [])).rejects.toThrow(RangeError);
  });

  it('removes what a crash left behind after a day, and lists none of it', async () => {
    const folder = await newFolder();
    const store = createFolderStore(folder);
    await mkdir(path.join(folder, 'segments'));
    const [old, young] = ['.unfinished-1', '.unfinished-2'].map((name) => path.join(folder, 'segments', name));
    await writeFile(old!, 'x');
    await writeFile(young!, 'x');
    const before = new Date(Date.now() - 25 * 60 * 60 * 1000);
    await utimes(old!, before, before);
    expect(await store.list('segments/')).toEqual([]);
    expect(await readdir(path.join(folder, 'segments'))).toEqual(['.unfinished-2']);
  });
});
