import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { MissingObjectError } from './store.ts';
import type { ByteRange, LogStore, StoredObject } from './store.ts';

/** Objects that are being written. No name of an object starts with a dot. */
const UNFINISHED = '.unfinished-';
/** An unfinished file of this age was left behind by a crash. */
const UNFINISHED_MAX_MS = 24 * 60 * 60 * 1000;
/** Chunks are written together up to this size: each write costs as much CPU as compressing a small block. */
const WRITE_BYTES = 256 * 1024;
const NAME = /^[A-Za-z0-9-]+(?:[./][A-Za-z0-9-]+)*$/;

/** A store in a folder, which is made when the first object comes. Several processes may use it at the same time. */
export function createFolderStore(folderPath: string): LogStore {
  const folder = path.resolve(folderPath);
  const fileOf = (name: string): string => {
    if (!NAME.test(name)) throw new RangeError(`${name} cannot be the name of an object`);
    return path.join(folder, name);
  };
  return {
    async put(name, chunks) {
      const file = fileOf(name);
      const parent = path.dirname(file);
      await makeDurably(parent);
      const unfinished = path.join(parent, `${UNFINISHED}${randomBytes(8).toString('hex')}`);
      try {
        await writeDurably(unfinished, chunks);
        await rename(unfinished, file);
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      }
      await syncFolder(parent);
    },
    get: (name, range) => orMissing(name, () => read(fileOf(name), range)),
    list: (prefix) => listFolder(folder, prefix),
    delete: (name) => rm(fileOf(name), { force: true }),
    close: () => Promise.resolve(),
  };
}

/** Makes the folder and those above it that are missing. */
async function makeDurably(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = path.dirname(made)) await syncFolder(path.dirname(made));
}

async function writeDurably(file: string, chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await open(file, 'wx');
  try {
    let waiting: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of chunks) {
      waiting.push(chunk);
      bytes += chunk.length;
      if (bytes < WRITE_BYTES) continue;
      await handle.writeFile(Buffer.concat(waiting));
      waiting = [];
      bytes = 0;
    }
    await handle.writeFile(Buffer.concat(waiting));
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Without it, a power failure may take a file whose content is on the disk already. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function read(file: string, range: ByteRange | undefined): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    if (range === undefined) return await handle.readFile();
    const bytes = Buffer.allocUnsafe(range.end - range.start);
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length, range.start + length);
      if (bytesRead === 0) throw new RangeError(`${file} ends before byte ${range.end}`);
      length += bytesRead;
    }
    return bytes;
  } finally {
    await handle.close();
  }
}

async function listFolder(folder: string, prefix: string): Promise<StoredObject[]> {
  const found: StoredObject[] = [];
  const visit = async (within: string): Promise<void> => {
    const children = await readdir(path.join(folder, within), { withFileTypes: true }).catch(unlessMissing([]));
    for (const child of children) {
      const name = within === '' ? child.name : `${within}/${child.name}`;
      if (child.isDirectory()) {
        if (prefix.startsWith(`${name}/`) || `${name}/`.startsWith(prefix)) await visit(name);
        continue;
      }
      const isUnfinished = child.name.startsWith(UNFINISHED);
      if (!isUnfinished && !name.startsWith(prefix)) continue;
      const file = await stat(path.join(folder, name)).catch(unlessMissing(undefined));
      // Deleted since the folder was read.
      if (file === undefined) continue;
      if (!isUnfinished) found.push({ name, bytes: file.size, storedAtMs: file.mtimeMs });
      else if (Date.now() - file.mtimeMs > UNFINISHED_MAX_MS) await rm(path.join(folder, name), { force: true });
    }
  };
  await visit('');
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

const unlessMissing =
  <Value>(value: Value) =>
  (error: unknown): Value => {
    if (isMissing(error)) return value;
    throw error;
  };

async function orMissing(name: string, run: () => Promise<Buffer>): Promise<Buffer> {
  try {
    return await run();
  } catch (error) {
    throw isMissing(error) ? new MissingObjectError(name) : error;
  }
}
