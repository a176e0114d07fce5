import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** Returns true if a process with this pid exists and is no zombie. */
export function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = readProcFile(pid, 'stat');
  return stat === undefined || !stat.slice(stat.lastIndexOf(')')).startsWith(') Z');
}

/** Returns true if the pid still belongs to the given program, because the system reuses pids. */
export function processMatches(pid: number, program: RegExp): boolean {
  return isRunning(pid) && program.test(commandLine(pid));
}

/** Reads the command line from /proc, or else from `ps` (macOS). Empty if neither works. */
function commandLine(pid: number): string {
  const fromProc = readProcFile(pid, 'cmdline');
  if (fromProc !== undefined) return fromProc.replaceAll('\0', ' ');
  try {
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return '';
  }
}

/** Waits up to `withinMs` until none of the processes runs. Resolves with those that still do. */
export async function whenGone(pids: readonly number[], withinMs: number): Promise<readonly number[]> {
  const end = Date.now() + withinMs;
  let left = pids.filter(isRunning);
  while (left.length > 0 && Date.now() < end) {
    await wait(50);
    left = left.filter(isRunning);
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
