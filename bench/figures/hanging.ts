import type { Lab } from '../lab/lab.ts';
import type { Bar, Figure, FigureContext, Run } from '../report/figure.ts';
import { median, percentile, runOf, valueOfRounds } from '../report/figure.ts';
import type { SteadySize } from './steady.ts';
import { latencies, newPlace, runSteady } from './steady.ts';

const DESTINATIONS = 100;
const PER_SECOND = 300;

interface Variant {
  readonly name: string;
  readonly to: 'publisher' | 'plain';
  readonly hanging: number;
}

const variants: readonly Variant[] = [
  { name: 'product, none hangs', to: 'publisher', hanging: 0 },
  { name: 'product, 10 % hang', to: 'publisher', hanging: 10 },
  { name: 'product, 30 % hang', to: 'publisher', hanging: 30 },
  { name: 'plain, none hangs', to: 'plain', hanging: 0 },
  { name: 'plain, 10 % hang', to: 'plain', hanging: 10 },
  { name: 'plain, 30 % hang', to: 'plain', hanging: 30 },
];

/**
 * Measures what healthy receivers notice when others never answer. `steady` counts only events sent in the second half
 * of the run.
 */
export const hanging: Figure = {
  name: 'hanging',
  title: `10 % / 30 % of ${DESTINATIONS} receivers hang, ${PER_SECOND} notifications/s`,
  async measure(context) {
    const seconds = context.isQuick ? 10 : 14;
    const runs: Run[] = [];
    for (let round = 1; round <= context.rounds; round += 1) {
      for (let i = 0; i < variants.length; i += 1) {
        const variant = variants[(i + round) % variants.length];
        if (variant === undefined) continue;
        context.progress(`hanging: round ${round} of ${context.rounds}, ${variant.name}`);
        runs.push(await measureVariant(context, variant, seconds, round));
      }
    }
    return {
      runs,
      bars: bars(runs),
      notes: ['steady: sent after half of the run; deadline 5 s; plain without isolation, one pool of 50'],
    };
  },
};

/** Uses a separate lab, so that events for hanging receivers of an earlier run do not come back in this one. */
async function measureVariant(context: FigureContext, variant: Variant, seconds: number, round: number): Promise<Run> {
  const lab = await context.openLab();
  try {
    const size: SteadySize = {
      kind: 'transactional',
      perSecond: PER_SECOND,
      seconds,
      destinations: DESTINATIONS,
      perRequest: 1,
      behaviour: { hanging: variant.hanging },
      graceMs: 2000,
    };
    const pids = { worker: [await startContender(lab, variant.to)] };
    const result = await runSteady(lab, { to: variant.to, pids, place: newPlace(lab, size.kind) }, size);
    const healthy = result.events.filter(({ destination }) => destination >= variant.hanging);
    const steady = healthy.filter(({ sentMs }) => sentMs >= (seconds * 1000) / 2);
    const arrived = latencies(steady);
    const events = healthy.length;
    const run = runOf({ variant: variant.name, round, events, seconds }, result.cpu, {
      healthyDeliveredPercent: (100 * latencies(healthy).length) / events,
      steadyDeliveredPercent: (100 * arrived.length) / steady.length,
      steadyP50Ms: arrived.length === 0 ? Number.NaN : percentile(arrived, 0.5),
      steadyP99Ms: arrived.length === 0 ? Number.NaN : percentile(arrived, 0.99),
    });
    return { ...run, perSecond: latencies(healthy).length / seconds };
  } finally {
    await lab.close();
  }
}

async function startContender(lab: Lab, to: Variant['to']): Promise<number> {
  if (to === 'publisher') return (await lab.worker('transactional')).pid;
  const plain = lab.baseline();
  await plain.call('startPlain', { kind: 'transactional', redisUrl: lab.redisUrl });
  return plain.pid;
}

function bars(runs: readonly Run[]): Bar[] {
  const value = (variant: string, round: number): number =>
    runs.find((run) => run.variant === variant && run.round === round)?.values['steadyP99Ms'] ?? Number.NaN;
  const rounds = [...new Set(runs.map(({ round }) => round))];
  return [10, 30].flatMap((share): Bar[] => {
    const name = `product, ${share} % hang`;
    const ratios = rounds.map((round) => value(name, round) / value('product, none hangs', round));
    const p99 = { what: `p99 with ${share} % hanging against without`, measured: median(ratios), unit: 'x' };
    const delivered = valueOfRounds(runs, name, 'healthyDeliveredPercent');
    return [
      {
        what: `healthy delivered, ${share} % hang`,
        measured: delivered,
        unit: '%',
        mustReach: 100,
        aimFor: 100,
        sense: 'min',
      },
      { ...p99, mustReach: 1.5, aimFor: 1.1, sense: 'max' },
    ];
  });
}
