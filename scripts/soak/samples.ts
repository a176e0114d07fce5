import { readFileSync } from 'node:fs';

/** Samples the memory of processes over time, by name. */
export interface Samples {
  /** The first, highest and last sample of each name's resident memory, in megabytes. */
  memory(): readonly {
    readonly name: string;
    readonly firstMb: number;
    readonly highestMb: number;
    readonly lastMb: number;
  }[];
  stop(): void;
}

interface Running {
  readonly name: string;
  readonly pid: number;
}

const EVERY_MS = 2000;
const PAGE_BYTES = 4096;
/** Clock ticks per second in `/proc/<pid>/stat`. */
const TICKS = 100;

export function startSamples(running: () => readonly Running[]): Samples {
  const byName = new Map<string, number[]>();
  const sample = (): void => {
    for (const { name, pid } of running()) {
      const megabytes = residentMb(pid);
      if (megabytes > 0) byName.set(name, [...(byName.get(name) ?? []), megabytes]);
    }
  };
  sample();
  const timer = setInterval(sample, EVERY_MS);
  return {
    memory: () =>
      [...byName].map(([name, values]) => ({
        name,
        firstMb: values[0] ?? 0,
        highestMb: Math.max(...values),
        lastMb: values.at(-1) ?? 0,
      })),
    stop: () => clearInterval(timer),
  };
}

/** Returns a process's resident memory in megabytes, or 0 if it has ended. */
export function residentMb(pid: number): number {
  const pages = Number(readProc(pid, 'statm').split(' ')[1] ?? 0);
  return Math.round((pages * PAGE_BYTES) / 1_048_576);
}

/** Returns the CPU seconds that a process has used so far. */
export function cpuSeconds(pid: number): number {
  const text = readProc(pid, 'stat');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS;
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
