import type { LoadPlan } from '../processes/load.ts';
import type { Figure, FigureContext, Run } from '../report/figure.ts';
import { valueOfRounds } from '../report/figure.ts';
import { fill, settledBytes } from './backlog.ts';
import { newPlace } from './steady.ts';

interface Variant {
  readonly name: string;
  readonly to: LoadPlan['to'];
  readonly destinations: number;
}

const variants: readonly Variant[] = [
  { name: 'product', to: 'publisher', destinations: 20 },
  { name: 'product, 2,000 URLs', to: 'publisher', destinations: 2000 },
  { name: 'plain', to: 'plain', destinations: 20 },
];

/** The cost of a waiting campaign event in Redis. Its receiver refuses everything, so that it keeps waiting. */
export const memory: Figure = {
  name: 'memory',
  title: 'Redis memory per waiting campaign event',
  async measure(context) {
    const runs: Run[] = [];
    for (let round = 1; round <= context.rounds; round += 1) {
      for (const variant of variants) {
        context.progress(`memory: round ${round} of ${context.rounds}, ${variant.name}`);
        runs.push(await measureVariant(context, variant, round));
      }
    }
    const measured = valueOfRounds(runs, 'product', 'bytesPerEvent');
    return {
      runs,
      bars: [{ what: 'per waiting event', measured, unit: 'bytes', mustReach: 105, aimFor: 80, sense: 'max' }],
    };
  },
};

async function measureVariant(
  context: FigureContext,
  { name, to, destinations }: Variant,
  round: number,
): Promise<Run> {
  const lab = await context.openLab();
  try {
    const place = newPlace(lab, 'campaign');
    const events = context.isQuick ? 100_000 : 400_000;
    await lab.receivers.call('begin', { ...place, events, behaviour: { status: 503 } });
    if (to === 'publisher') await lab.worker('campaign');
    // One event per destination first, so that the measured bytes do not include the destinations themselves.
    const plan = { ...place, to, destinations, perRequest: 1000 };
    await lab.load.call('prepare', { ...plan, events: destinations });
    const before = await settledBytes(lab);
    const startedMs = performance.now();
    await fill(lab, { ...plan, events });
    const seconds = (performance.now() - startedMs) / 1000;
    const bytesPerEvent = ((await settledBytes(lab)) - before) / events;
    return {
      variant: name,
      round,
      events,
      seconds,
      perSecond: events / seconds,
      cpuPer1000: {},
      values: { bytesPerEvent },
    };
  } finally {
    await lab.close();
  }
}
