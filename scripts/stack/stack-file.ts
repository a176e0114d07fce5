import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { UserError } from '../user-error.ts';

/** `DATA_DIR/stack.json`, with which other scripts find a running stack. It holds tokens, so its mode is 0600. */
const stackFile = z.object({
  baseUrl: z.string(),
  opsUrl: z.string(),
  redisUrl: z.string(),
  /** The demo account and its access token. Absent with `--no-demo`. */
  account: z.string().optional(),
  token: z.string().optional(),
  producerToken: z.string(),
  adminToken: z.string(),
  /** Stays current when programs restart. Has `redis` only if the stack started one. */
  pids: z.record(z.string(), z.int()),
});
export type StackFile = z.infer<typeof stackFile>;

export const stackFilePath = (dataDir: string): string => path.join(dataDir, 'stack.json');

/** Replaces the file as a whole, so that a reader never sees half of it. */
export function writeStackFile(dataDir: string, stack: StackFile): void {
  writePrivateJson(stackFilePath(dataDir), stack);
}

export function removeStackFile(dataDir: string): void {
  rmSync(stackFilePath(dataDir), { force: true });
}

/** Returns the stack that runs on this folder, according to its file. */
export function readStackFile(dataDir: string): StackFile | undefined {
  const result = stackFile.safeParse(readPrivateJson(stackFilePath(dataDir)));
  return result.success ? result.data : undefined;
}

/** Returns the running stack. @throws UserError if there is none. */
export function requireStackFile(dataDir: string): StackFile {
  const found = readStackFile(dataDir);
  if (found !== undefined) return found;
  throw new UserError(
    `No running stack found: there is no ${stackFilePath(dataDir)}. Run \`npm start\` first, or name another ` +
      'folder with DATA_DIR.',
  );
}

/** Writes JSON that only this user may read, atomically. */
export function writePrivateJson(file: string, value: unknown): void {
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

/** Creates a file with JSON that only this user may read, atomically. Returns false if the file exists. */
export function createPrivateJson(file: string, value: unknown): boolean {
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (Reflect.get(Object(error), 'code') === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft);
  }
}

/** Reads JSON. Undefined if the file is missing or not JSON. */
export function readPrivateJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
