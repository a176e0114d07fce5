import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';

/** Returns true if a process with this pid exists and is no zombie. */
export function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs as another user.
    if (Reflect.get(Object(error), 'code') !== 'EPERM') return false;
  }
  const stat = readProcFile(pid, 'stat');
  return stat === undefined || !stat.slice(stat.lastIndexOf(')')).startsWith(') Z');
}

/** A process, recognized by its start too, because the system reuses pids. */
export const processIdentity = z.object({
  pid: z.int().positive(),
  /** In a unit of the system: clock ticks since it started, or a date. */
  startedAt: z.string(),
});
export type ProcessIdentity = z.infer<typeof processIdentity>;

/** Returns what identifies the process that runs with this pid. Undefined if none does. */
export function identify(pid: number): ProcessIdentity | undefined {
  return isRunning(pid) ? { pid, startedAt: startOf(pid) } : undefined;
}

/** Returns true if this process still runs. */
export const isRunningStill = ({ pid, startedAt }: ProcessIdentity): boolean => identify(pid)?.startedAt === startedAt;

/** Reads the start from /proc, or else from `ps` (macOS). Empty if neither works, so that a pid alone decides. */
function startOf(pid: number): string {
  const stat = readProcFile(pid, 'stat');
  // Field 22. The name of the program, field 2, stands in parentheses and may contain spaces.
  if (stat !== undefined) return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    }).trim();
  } catch {
    return '';
  }
}

/** Waits up to `withinMs` until none of the processes runs. Resolves with those that still do. */
export async function whenGone(
  processes: readonly ProcessIdentity[],
  withinMs: number,
): Promise<readonly ProcessIdentity[]> {
  const end = Date.now() + withinMs;
  let left = processes.filter(isRunningStill);
  while (left.length > 0 && Date.now() < end) {
    await wait(50);
    left = left.filter(isRunningStill);
  }
  return left;
}

function readProcFile(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return undefined;
  }
}
