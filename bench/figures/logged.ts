import { setTimeout } from 'node:timers/promises';
import type { Lab } from '../lab/lab.ts';
import type { Bar, Figure, FigureContext, Run } from '../report/figure.ts';
import { median } from '../report/figure.ts';
import { measureBurst } from './burst.ts';

/** A buffer is closed after 10 s. Runs without the log wait as long, because an idle process takes CPU too. */
const CLOSED_WITHIN_MS = 13_000;
const WARM_UP_SHARE = 0.25;

interface LoggedFigure {
  readonly kind: 'campaign' | 'transactional';
  readonly events: number;
  readonly quickShare: number;
  readonly perRequest: number;
  readonly mustReach: number;
}

/** What the event log costs: the CPU of the producer, the worker and Redis with it, the closing included. */
const loggedFigure = ({ kind, events, quickShare, perRequest, mustReach }: LoggedFigure): Figure => ({
  name: `logged-${kind}-20`,
  title: `Event log on and off, ${kind}, 20 destinations`,
  isOnDemand: true,
  async measure(context) {
    const lab = await context.openLab();
    try {
      const size = {
        kind,
        events: events * (context.isQuick ? quickShare : 1),
        destinations: 20,
        perRequest,
        requestsInFlight: 8,
      };
      const runs = await measureRounds(lab, size, context);
      const measured = ratioOf(runs);
      const bar: Bar = { what: 'CPU with the log', measured, unit: 'x', mustReach, aimFor: undefined, sense: 'max' };
      return { runs, bars: [bar] };
    } finally {
      await lab.close();
    }
  },
});

async function measureRounds(lab: Lab, size: Parameters<typeof measureBurst>[3], context: FigureContext) {
  const worker = await lab.worker(size.kind);
  const runs: Run[] = [];
  for (let round = 0; round <= context.rounds; round += 1) {
    for (const variant of ['off', 'on'] as const) {
      context.progress(`${size.kind}, round ${round} of ${context.rounds}, log ${variant}`);
      await lab.load.call('switchLog', variant === 'on');
      const wanted = round === 0 ? { ...size, events: size.events * WARM_UP_SHARE } : size;
      const by = { variant, pids: { worker: [worker.pid] } };
      const afterwards = async () => {
        await setTimeout(CLOSED_WITHIN_MS);
        if ((await lab.load.call('loggedBytes')) > 0) throw new Error('the log was not closed in time');
      };
      const run = await measureBurst(lab, 'publisher', by, { ...wanted, afterwards }, round);
      if (round > 0) runs.push(run);
    }
  }
  return runs;
}

/** The median over rounds of the CPU with the log by that without. */
function ratioOf(runs: readonly Run[]): number {
  const cpuOf = (variant: string) =>
    runs
      .filter((run) => run.variant === variant)
      .map(({ cpuPer1000: { load = 0, worker = 0, redis = 0 } }) => load + worker + redis);
  const off = cpuOf('off');
  return median(cpuOf('on').map((cpu, round) => cpu / (off[round] ?? Number.NaN)));
}

export const loggedFigures: readonly Figure[] = [
  loggedFigure({ kind: 'campaign', events: 1_000_000, quickShare: 0.2, perRequest: 1000, mustReach: 1.25 }),
  loggedFigure({ kind: 'transactional', events: 60_000, quickShare: 0.5, perRequest: 100, mustReach: 1.1 }),
];
