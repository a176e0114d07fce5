import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** Whether a process with this pid exists and is no zombie. */
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

/** Whether the pid still belongs to the program it belonged to: pids are used again. */
export function processMatches(pid: number, program: RegExp): boolean {
  return isRunning(pid) && program.test(commandLine(pid));
}

/** From /proc, else from `ps` (macOS); empty when it cannot be told. */
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

/** Waits until none of them runs, at most `withinMs`; answers those that still do. */
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
