import { SHAPE_LIMITS } from '@mailhook/core';
import type { Mechanism, Shape } from '@mailhook/core';
import type { LoadPlan } from '../processes/load.ts';
import type { RunPlace } from '../processes/places.ts';
import type { Figure, FigureContext, Run } from '../report/figure.ts';
import { valueOfRounds } from '../report/figure.ts';
import { fill, settledBytes } from './backlog.ts';
import { newPlace } from './steady.ts';

interface Variant {
  readonly name: string;
  readonly kind: Mechanism;
  readonly to: LoadPlan['to'];
  readonly destinations: number;
  /** Absent: version 1. */
  readonly version2?: RunPlace['version2'];
}

const version2 = (shape: Shape): RunPlace['version2'] => ({ shape, ...SHAPE_LIMITS[shape] });
const ofProduct = (name: string, kind: Mechanism, more: Partial<Variant> = {}): Variant => ({
  name,
  kind,
  to: 'publisher',
  destinations: 20,
  ...more,
});

const variants: readonly Variant[] = [
  ofProduct('product', 'campaign'),
  ofProduct('product, 2,000 URLs', 'campaign', { destinations: 2000 }),
  ofProduct('campaigns, version 2', 'campaign', { version2: version2('batch') }),
  ofProduct('notifications, version 1', 'transactional'),
  ofProduct('notifications, version 2', 'transactional', { version2: version2('single') }),
  ofProduct('notifications in arrays', 'transactional', { version2: version2('array') }),
  ofProduct('plain', 'campaign', { to: 'plain' }),
];

/** The cost of a waiting event in Redis. Its receiver refuses everything, so that it keeps waiting. */
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
  { name, kind, to, destinations, version2 }: Variant,
  round: number,
): Promise<Run> {
  const lab = await context.openLab();
  try {
    const place = { ...newPlace(lab, kind), ...(version2 === undefined ? {} : { version2 }) };
    const events = context.isQuick ? 100_000 : 400_000;
    await lab.receivers.call('begin', { ...place, events, behaviour: { status: 503 } });
    if (to === 'publisher') await lab.worker(kind);
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
