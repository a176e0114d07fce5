import { constants, setPriority } from 'node:os';
import type { Mechanism } from '@mailhook/core';
import { commandOf } from '@mailhook/delivery';
import type { Lab } from '../lab/lab.ts';
import type { Bar, Figure, FigureContext, Run } from '../report/figure.ts';
import { measureBurst } from './burst.ts';

interface Load {
  readonly name: string;
  readonly kind: Mechanism;
  readonly events: number;
  readonly destinations: number;
  readonly perRequest: number;
}

const LOADS: readonly Load[] = [
  { name: 'campaign-20', kind: 'campaign', events: 400_000, destinations: 20, perRequest: 1000 },
  { name: 'campaign-2000', kind: 'campaign', events: 200_000, destinations: 2000, perRequest: 1000 },
  { name: 'transactional-20', kind: 'transactional', events: 100_000, destinations: 20, perRequest: 100 },
  { name: 'transactional-all', kind: 'transactional', events: 40_000, destinations: 40_000, perRequest: 100 },
];
const QUICK_SHARE = 0.25;
/** Redis logs longer calls in the slow log, each with its time. */
const LOGGED_FROM_US = 1000;
const LOG_MAX = 1_000_000;
const QUANTILE = 0.999;

/** How long each function blocks Redis, measured by Redis. */
export const scriptTimes: Figure = {
  name: 'script-times',
  title: "Scripts' own time in Redis",
  async measure(context) {
    const runs: Run[] = [];
    for (const load of LOADS) runs.push(await measureLoad(context, load));
    const worst = Math.max(...runs.flatMap(({ values }) => Object.values(values)));
    const bar: Bar = {
      what: 'slowest script at p99.9',
      measured: worst,
      unit: 'ms',
      mustReach: 10,
      aimFor: undefined,
      sense: 'max',
    };
    return { runs, bars: [bar], notes: ['A value of 1 ms means at most 1 ms, the threshold of the slow log.'] };
  },
};

async function measureLoad(context: FigureContext, load: Load): Promise<Run> {
  context.progress(`script-times: ${load.name}`);
  const lab = await context.openLab();
  try {
    preferRedis(lab.redisServer.pid);
    await lab.redis.config('SET', 'slowlog-log-slower-than', String(LOGGED_FROM_US));
    await lab.redis.config('SET', 'slowlog-max-len', String(LOG_MAX));
    const worker = await lab.worker(load.kind);
    await lab.redis.slowlog('RESET');
    const events = context.isQuick ? load.events * QUICK_SHARE : load.events;
    const size = { ...load, events, destinations: Math.min(load.destinations, events) };
    const run = await measureBurst(lab, 'publisher', { variant: load.name, pids: { worker: [worker.pid] } }, size, 1);
    return { ...run, values: await quantiles(lab, worker.opsPort) };
  } finally {
    await lab.close();
  }
}

/** In production Redis has a separate core. Here it shares cores, and waiting for one would count as its time. */
function preferRedis(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_HIGHEST);
  } catch {
    // Only the superuser may raise a priority. Without that, the times are upper bounds.
  }
}

/**
 * The p99.9 of each function's calls in milliseconds, or 1 if fewer than one call in a thousand took longer than 1 ms.
 */
async function quantiles(lab: Lab, opsPort: number): Promise<Record<string, number>> {
  const slow = new Map<string, number[]>();
  const rows = (await lab.redis.slowlog('GET', LOG_MAX)) as [number, number, number, string[]][];
  for (const [, , us, [command, called = '']] of rows) {
    const name = commandOf(called);
    if (command?.toLowerCase() !== 'fcall' || name === undefined) continue;
    slow.set(name, [...(slow.get(name) ?? []), us / 1000]);
  }
  const metrics = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
  const values: Record<string, number> = {};
  for (const [, script = '', calls] of metrics.matchAll(
    /^mailhook_script_seconds_count\{.*script="([\w-]+)".*\} (\d+)$/gm,
  )) {
    const times = (slow.get(script) ?? []).sort((a, b) => b - a);
    values[`${script} p99.9 ms`] = times[Math.floor(Number(calls) * (1 - QUANTILE))] ?? LOGGED_FROM_US / 1000;
  }
  return values;
}
