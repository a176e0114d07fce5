import { onEveryMaster } from './connect.ts';
import type { Redis } from './connect.ts';
import { parseInfo } from './settings.ts';

/** How long functions run in Redis, without the wait before them. BullMQ's scripts are not among them. */
export interface FunctionTimes {
  /** Calls since Redis started, or since its statistics were reset. */
  readonly calls: number;
  readonly meanMs: number;
  /** Undefined if Redis does not keep it. */
  readonly p99Ms: number | undefined;
  /** The newest entries of the slow log that are functions, newest first. */
  readonly slow: readonly SlowFunction[];
}

interface SlowFunction {
  readonly name: string;
  readonly tookMs: number;
  readonly atMs: number;
}

/** Read from the slow log, which holds arguments: some kilobytes. */
const SLOW_LOG_READ = 32;

type SlowLogEntry = readonly [id: number, atSeconds: number, micros: number, args: readonly string[]];

/**
 * The times of the slowest master, and the slow functions of all. Rejects while Redis is away, and if it forbids
 * `INFO`.
 */
export async function readFunctionTimes(redis: Redis): Promise<FunctionTimes> {
  const masters = await onEveryMaster(redis, readOne);
  const slowest = masters.reduce((a, b) => (b.meanMs > a.meanMs ? b : a));
  const slow = masters.flatMap((one) => one.slow).sort((a, b) => b.atMs - a.atMs);
  return { ...slowest, slow };
}

async function readOne(redis: Redis): Promise<FunctionTimes> {
  const [commands, latencies, entries] = await Promise.all([
    redis.info('commandstats').then(parseInfo),
    redis.info('latencystats').then(parseInfo),
    // Managed services may forbid SLOWLOG.
    (redis.slowlog('GET', SLOW_LOG_READ) as Promise<SlowLogEntry[]>).catch((): SlowLogEntry[] => []),
  ]);
  const stats = commands.get('cmdstat_fcall') ?? '';
  const p99 = /p99=([\d.]+)/.exec(latencies.get('latency_percentiles_usec_fcall') ?? '')?.[1];
  return {
    calls: Number(/calls=(\d+)/.exec(stats)?.[1] ?? 0),
    meanMs: Number(/usec_per_call=([\d.]+)/.exec(stats)?.[1] ?? 0) / 1000,
    p99Ms: p99 === undefined ? undefined : Number(p99) / 1000,
    slow: entries
      .filter(([, , , args]) => args[0]?.toLowerCase() === 'fcall')
      .map(([, atSeconds, micros, args]) => ({ name: args[1] ?? '', tookMs: micros / 1000, atMs: atSeconds * 1000 })),
  };
}
