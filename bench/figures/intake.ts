import { startChild } from '../lab/child.ts';
import { cpuBetween } from '../lab/cpu.ts';
import type { Lab } from '../lab/lab.ts';
import type { Intake } from '../processes/http-intake.ts';
import type { IntakeWithoutQueueApi } from '../processes/intake-without-queue.ts';
import type { RunPlace } from '../processes/places.ts';
import type { Figure, FigureContext, Run } from '../report/figure.ts';
import { cpuRatio, medianRatio, runOf } from '../report/figure.ts';
import { openApi } from './api.ts';

const ACCOUNTS = 20;
const WARM_UP_SHARE = 0.7;

interface IntakeFigure {
  readonly name: string;
  readonly title: string;
  readonly perRequest: number;
  readonly requestsInFlight: number;
  readonly events: number;
  readonly quickEvents: number;
  readonly mustReach: number;
  readonly aimFor: number;
}

interface Contender {
  readonly variant: string;
  readonly intake: Intake;
  readonly pid: number;
}

/**
 * Events per second that the api accepts, compared with its own route without the add. No worker runs, so accepted
 * events wait.
 */
const intakeFigure = (figure: IntakeFigure): Figure => ({
  name: figure.name,
  title: figure.title,
  async measure(context) {
    const lab = await context.openLab();
    try {
      const runs = await measureRounds(lab, figure, context);
      const measured = medianRatio(runs, 'product', 'without queue');
      const byCpu = cpuRatio(runs, 'product', 'without queue');
      const { mustReach, aimFor } = figure;
      const bar = {
        what: 'events/s against the route without a queue',
        measured,
        byCpu,
        unit: 'x',
        mustReach,
        aimFor,
        sense: 'min',
      } as const;
      return { runs, bars: [bar] };
    } finally {
      await lab.close();
    }
  },
});

async function measureRounds(lab: Lab, figure: IntakeFigure, context: FigureContext): Promise<Run[]> {
  const api = await openApi(lab);
  const place = await api.newPlace('campaign', ACCOUNTS);
  const without = startChild<IntakeWithoutQueueApi>('intake-without-queue');
  try {
    const { token } = api.intake;
    const port = await without.call('start', { token, accounts: place.accounts ?? [] });
    const contenders: Contender[] = [
      { variant: 'product', intake: api.intake, pid: api.pid },
      { variant: 'without queue', intake: { url: `http://127.0.0.1:${port}/v3/events`, token }, pid: without.pid },
    ];
    const runs: Run[] = [];
    for (let round = 0; round <= context.rounds; round += 1) {
      for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
        context.progress(`${figure.name}: round ${round} of ${context.rounds}, ${contender.variant}`);
        const run = await measureContender(lab, place, contender, sizeOf(figure, context, round), round);
        if (round > 0) runs.push(run);
      }
    }
    return runs;
  } finally {
    await without.stop();
  }
}

const sizeOf = (figure: IntakeFigure, { isQuick }: FigureContext, round: number): IntakeFigure => ({
  ...figure,
  events: Math.ceil((isQuick ? figure.quickEvents : figure.events) * (round === 0 ? WARM_UP_SHARE : 1)),
});

async function measureContender(
  lab: Lab,
  place: RunPlace,
  { variant, intake, pid }: Contender,
  size: IntakeFigure,
  round: number,
): Promise<Run> {
  const { events, perRequest, requestsInFlight } = size;
  await lab.load.call('prepare', { ...place, to: intake, events, destinations: ACCOUNTS, perRequest });
  const before = await lab.cpu({ api: [pid] });
  const { startedMs, endedMs } = await lab.load.call('burst', { requestsInFlight });
  const used = cpuBetween(before, await lab.cpu({ api: [pid] }));
  const seconds = (endedMs - startedMs) / 1000;
  const values = { requestsPerSecond: events / perRequest / seconds };
  return runOf({ variant, round, events, seconds }, used, values);
}

export const intakes: readonly Figure[] = [
  intakeFigure({
    name: 'intake-single',
    title: 'Intake over HTTP, one event per request, 50 in flight',
    perRequest: 1,
    requestsInFlight: 50,
    events: 30_000,
    quickEvents: 12_000,
    mustReach: 0.9,
    aimFor: 1,
  }),
  intakeFigure({
    name: 'intake-1000',
    title: 'Intake over HTTP, 1,000 events a request, 10 in flight',
    perRequest: 1000,
    requestsInFlight: 10,
    events: 1_000_000,
    quickEvents: 300_000,
    mustReach: 0.45,
    aimFor: 0.7,
  }),
];
