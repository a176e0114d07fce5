import type { Mechanism } from '@mailhook/core';
import type { Lab } from '../lab/lab.ts';
import type { Bar, Figure, FigureContext, Run } from '../report/figure.ts';
import { medianCpu, medianRatio } from '../report/figure.ts';
import { measureBurst } from './burst.ts';

interface Work {
  readonly kind: Mechanism;
  readonly destinations: number;
  readonly events: number;
  readonly quickEvents: number;
  readonly perRequest: number;
}

const WORKS: readonly Work[] = [
  { kind: 'transactional', destinations: 200, events: 40_000, quickEvents: 20_000, perRequest: 100 },
  { kind: 'campaign', destinations: 2000, events: 400_000, quickEvents: 200_000, perRequest: 1000 },
];
const PROCESSES = [1, 2] as const;
const WARM_UP_SHARE = 0.25;

const variantOf = ({ kind }: Work, processes: number): string => `${kind}, ${processes} of them`;

/**
 * The same work by one worker process and by two, which shows the cost and the gain of the second one. Runs only when
 * named.
 */
export const processes: Figure = {
  name: 'processes',
  title: 'One worker process, and two of them',
  isOnDemand: true,
  async measure(context) {
    const runs: Run[] = [];
    for (const work of WORKS) runs.push(...(await measureWork(context, work)));
    return {
      runs,
      bars: WORKS.flatMap((work) => barsOf(runs, work)),
      notes: [
        'producer, Redis, receivers and workers share the cores: a second process finds one only where the first ' +
          'leaves it',
      ],
    };
  },
};

/** Uses two labs, so that the rounds take turns. */
async function measureWork(context: FigureContext, work: Work): Promise<Run[]> {
  const labs: { readonly lab: Lab; readonly pids: readonly number[]; readonly processes: number }[] = [];
  try {
    for (const count of PROCESSES) {
      const lab = await context.openLab();
      const started = [];
      for (let i = 0; i < count; i += 1) started.push(await lab.worker(work.kind));
      labs.push({ lab, pids: started.map(({ pid }) => pid), processes: count });
    }
    const runs: Run[] = [];
    for (let round = 0; round <= context.rounds; round += 1) {
      for (const { lab, pids, processes } of round % 2 === 0 ? labs : labs.toReversed()) {
        const variant = variantOf(work, processes);
        context.progress(`processes: round ${round} of ${context.rounds}, ${variant}`);
        const all = context.isQuick ? work.quickEvents : work.events;
        const events = Math.ceil(all * (round === 0 ? WARM_UP_SHARE : 1));
        const run = await measureBurst(
          lab,
          'publisher',
          { variant, pids: { worker: pids } },
          { ...work, events },
          round,
        );
        if (round > 0) runs.push(run);
      }
    }
    return runs;
  } finally {
    for (const { lab } of labs) await lab.close();
  }
}

function barsOf(runs: readonly Run[], work: Work): Bar[] {
  const [one, two] = [variantOf(work, 1), variantOf(work, 2)];
  const cpu = (variant: string): number => medianCpu(runs, variant, 'worker') + medianCpu(runs, variant, 'redis');
  return [
    {
      what: `${work.kind}: events/s of two against one`,
      measured: medianRatio(runs, two, one),
      unit: 'x',
      mustReach: 0.9,
      aimFor: 1.2,
      sense: 'min',
    },
    {
      what: `${work.kind}: CPU of workers and Redis per event, two against one`,
      measured: cpu(two) / cpu(one),
      unit: 'x',
      mustReach: 1.5,
      aimFor: 1.1,
      sense: 'max',
    },
  ];
}
