import { mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The environment variable with the folder for the files of test servers. Without it, they are on disk. */
export const SERVER_FOLDER_VARIABLE = 'TEST_SERVER_FOLDER';

const MEMORY_FOLDER = '/dev/shm';
const ENOUGH_BYTES = 4e9;

/**
 * Makes a folder in memory for the files of all test servers, if the machine has room for them. Redis and MongoDB sync
 * after most writes, and on the disk of a busy machine that takes longer than a command may. A killed server keeps its
 * files in either place.
 */
export async function makeMemoryFolder(): Promise<string | undefined> {
  try {
    const { bavail, bsize } = await statfs(MEMORY_FOLDER);
    return bavail * bsize < ENOUGH_BYTES ? undefined : await mkdtemp(path.join(MEMORY_FOLDER, 'mailhook-tests-'));
  } catch {
    return undefined;
  }
}

/** Makes an empty folder for the files of a test server. */
export function makeServerFolder(server: string): Promise<string> {
  return mkdtemp(path.join(process.env[SERVER_FOLDER_VARIABLE] ?? tmpdir(), `mailhook-${server}-`));
}
