import type { Mechanism } from '@mailhook/core';
import type { Lab } from '../lab/lab.ts';
import type { Behaviour } from '../processes/tally.ts';
import type { Bar, Figure, FigureContext, Run } from '../report/figure.ts';
import type { BurstSize } from './burst.ts';
import { measureBurst, measureRaw } from './burst.ts';

export interface ThroughputFigure {
  readonly name: string;
  readonly title: string;
  readonly kind: Mechanism;
  readonly destinations: number | 'one an event';
  /**
   * Events of a full run, by variant. Plain is slower and gets fewer, so that it takes as long. A quick run takes
   * `quickShare` of them.
   */
  readonly events: Readonly<Record<'product' | 'plain' | 'raw', number>>;
  readonly quickShare: number;
  /** Events per body of raw. */
  readonly perBody: number;
  readonly rawInFlight: number;
  /** Also measures raw through axios. */
  readonly withAxios?: boolean;
  readonly behaviour?: Behaviour;
  readonly bars: (runs: readonly Run[]) => Bar[];
}

const PER_REQUEST: Readonly<Record<Mechanism, number>> = { campaign: 1000, transactional: 100 };
const WARM_UP_SHARE = 0.25;
const CLIENTS = { raw: 'product', bare: 'bare', 'raw through axios': 'axios' } as const;

type Variant = 'product' | 'plain' | 'raw' | 'bare' | 'raw through axios';

/**
 * Runs product, plain, raw and bare undici in turn, in a different order each round. Before that, one shorter run of
 * each does not count.
 */
export const throughputFigure = (figure: ThroughputFigure): Figure => ({
  name: figure.name,
  title: figure.title,
  async measure(context) {
    const lab = await context.openLab();
    try {
      const runs = await measureRounds(lab, figure, context);
      return { runs, bars: figure.bars(runs) };
    } finally {
      await lab.close();
    }
  },
});

async function measureRounds(lab: Lab, figure: ThroughputFigure, context: FigureContext): Promise<Run[]> {
  const { kind } = figure;
  const worker = await lab.worker(kind);
  const plain = lab.baseline();
  await plain.call('startPlain', { kind, redisUrl: lab.redisUrl });
  const share = context.isQuick ? figure.quickShare : 1;
  const measure = (variant: Variant, round: number, part: number): Promise<Run> => {
    const size = sizeOf(figure, variant, part);
    if (variant === 'product')
      return measureBurst(lab, 'publisher', { variant, pids: { worker: [worker.pid] } }, size, round);
    if (variant === 'plain') return measureBurst(lab, variant, { variant, pids: { worker: [plain.pid] } }, size, round);
    const client = CLIENTS[variant];
    const raw = { ...size, perBody: figure.perBody, inFlight: figure.rawInFlight, client };
    return measureRaw(lab, { variant, pids: {} }, raw, round);
  };
  const variants: Variant[] = ['product', 'plain', 'raw', 'bare'];
  if (figure.withAxios === true) variants.push('raw through axios');
  const runs: Run[] = [];
  for (let round = 0; round <= context.rounds; round += 1) {
    for (let i = 0; i < variants.length; i += 1) {
      const variant = variants[(i + round) % variants.length] ?? 'product';
      context.progress(
        `${figure.name}: ${round === 0 ? 'warming up' : `round ${round} of ${context.rounds}`}, ${variant}`,
      );
      const run = await measure(variant, round, share * (round === 0 ? WARM_UP_SHARE : 1));
      if (round > 0) runs.push(run);
    }
  }
  return runs;
}

function sizeOf(figure: ThroughputFigure, variant: Variant, share: number): BurstSize {
  const { kind, destinations, behaviour } = figure;
  const wanted = Math.ceil(figure.events[variant === 'product' || variant === 'plain' ? variant : 'raw'] * share);
  // Whole bodies, and the same number of events for every destination.
  const step = destinations === 'one an event' ? 1 : destinations;
  const events = Math.max(step, Math.round(wanted / step) * step);
  return {
    kind,
    events,
    destinations: destinations === 'one an event' ? events : destinations,
    perRequest: PER_REQUEST[kind],
    behaviour,
  };
}
