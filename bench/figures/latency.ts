import type { Lab } from '../lab/lab.ts';
import type { LoadPlan } from '../processes/load.ts';
import type { RunPlace } from '../processes/places.ts';
import type { Figure, Run } from '../report/figure.ts';
import { valueOfRounds } from '../report/figure.ts';
import { openApi } from './api.ts';
import type { SteadySize } from './steady.ts';
import { newPlace, runSteady, steadyRun } from './steady.ts';

const DESTINATIONS = 20;
const PER_SECOND = 300;
const WARM_UP_SHARE = 0.2;

interface Contender {
  readonly variant: string;
  readonly to: LoadPlan['to'];
  readonly pids: Readonly<Record<string, readonly number[]>>;
  readonly place: () => Promise<RunPlace>;
}

/**
 * The time from sending an event to its request, through the whole product and through its publisher alone. The machine
 * stays mostly idle.
 */
export const latency: Figure = {
  name: 'latency',
  title: `Event to request at the receiver, ${PER_SECOND} notifications/s, ${DESTINATIONS} addresses`,
  async measure(context) {
    const lab = await context.openLab();
    try {
      const size: SteadySize = {
        kind: 'transactional',
        perSecond: PER_SECOND,
        seconds: context.isQuick ? 8 : 20,
        destinations: DESTINATIONS,
        perRequest: 1,
        isAllClicks: true,
        graceMs: 5000,
      };
      const contenders = await startContenders(lab);
      const runs: Run[] = [];
      for (let round = 0; round <= context.rounds; round += 1) {
        for (const contender of contenders) {
          context.progress(`latency: round ${round} of ${context.rounds}, ${contender.variant}`);
          const seconds = round === 0 ? size.seconds * WARM_UP_SHARE : size.seconds;
          const run = await measureContender(lab, contender, { ...size, seconds: Math.ceil(seconds) }, round);
          if (round > 0) runs.push(run);
        }
      }
      const bar = (name: string, what: string, mustReach: number, aimFor: number) =>
        ({
          what,
          measured: valueOfRounds(runs, 'product', name),
          unit: 'ms',
          mustReach,
          aimFor,
          sense: 'max',
        }) as const;
      const againstPlain = {
        what: 'p99 over HTTP against plain without api',
        measured: valueOfRounds(runs, 'product', 'p99Ms') / valueOfRounds(runs, 'plain without api', 'p99Ms'),
        unit: 'x',
        mustReach: 1,
        aimFor: 0.8,
        sense: 'max',
      } as const;
      return {
        runs,
        bars: [bar('p50Ms', 'p50 over HTTP', 5, 2), bar('p99Ms', 'p99 over HTTP', 16, 8), againstPlain],
      };
    } finally {
      await lab.close();
    }
  },
};

async function startContenders(lab: Lab): Promise<Contender[]> {
  const worker = await lab.worker('transactional');
  const api = await openApi(lab);
  const plain = lab.baseline();
  await plain.call('startPlain', { kind: 'transactional', redisUrl: lab.redisUrl });
  const place = (): Promise<RunPlace> => Promise.resolve(newPlace(lab, 'transactional'));
  return [
    {
      variant: 'product',
      to: api.intake,
      pids: { worker: [worker.pid], api: [api.pid] },
      place: () => api.newPlace('transactional', DESTINATIONS),
    },
    { variant: 'product without api', to: 'publisher', pids: { worker: [worker.pid] }, place },
    { variant: 'plain without api', to: 'plain', pids: { worker: [plain.pid] }, place },
  ];
}

async function measureContender(
  lab: Lab,
  { variant, to, pids, place }: Contender,
  size: SteadySize,
  round: number,
): Promise<Run> {
  const result = await runSteady(lab, { to, pids, place: await place() }, size);
  return steadyRun(variant, round, size, result);
}
