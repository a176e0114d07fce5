import { mkdtempSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from './eventually.ts';

/**
 * A control group of one process that may take no more memory. When the process needs more, the kernel's OOM killer
 * kills it.
 */
export interface MemoryLimit {
  /** How many processes of the group the OOM killer has killed. */
  kills(): number;
  /** Removes the group, after the process has ended. */
  remove(): Promise<void>;
}

/**
 * The two versions of Linux control groups: the folder of new groups, the limit's file, and the file that counts the
 * kills.
 */
const VERSIONS = [
  { parent: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', counts: 'memory.oom_control' },
  { parent: '/sys/fs/cgroup', limit: 'memory.max', counts: 'memory.events' },
] as const;

/** Less than a server needs for a single second of work. */
const LIMIT_BYTES = 1_048_576;

/** Why memory cannot be limited here. Undefined if it can. For `unlessImpossible`. */
export function cannotLimitMemory(): string | undefined {
  if (process.platform !== 'linux') return 'memory can be limited on Linux only';
  if (process.getuid?.() !== 0) return 'memory can be limited by root only';
  try {
    rmdirSync(newGroup().folder);
    return undefined;
  } catch {
    return 'memory can be limited only where /sys/fs/cgroup is writable';
  }
}

/** The process keeps the memory that it has, and gets at most `LIMIT_BYTES` more. */
export function limitMemory(pid: number): MemoryLimit {
  const { folder, limit, counts } = newGroup();
  writeFileSync(path.join(folder, limit), String(LIMIT_BYTES));
  writeFileSync(path.join(folder, 'cgroup.procs'), String(pid));
  return {
    kills: () => Number(/^oom_kill (\d+)$/m.exec(readFileSync(path.join(folder, counts), 'utf8'))?.[1]),
    remove: async () => {
      const isEmpty = (): boolean => readFileSync(path.join(folder, 'cgroup.procs'), 'utf8') === '';
      await eventually(isEmpty, { what: 'the end of the process with a memory limit' });
      rmdirSync(folder);
    },
  };
}

/** @throws Error when no group with a memory limit can be made. */
function newGroup(): { folder: string; limit: string; counts: string } {
  let failure: unknown;
  for (const { parent, limit, counts } of VERSIONS) {
    try {
      const folder = mkdtempSync(path.join(parent, 'mailhook-test-'));
      try {
        statSync(path.join(folder, limit));
        return { folder, limit, counts };
      } catch (error) {
        rmdirSync(folder);
        throw error;
      }
    } catch (error) {
      failure = error;
    }
  }
  throw new Error('no control group with a memory limit can be made', { cause: failure });
}
