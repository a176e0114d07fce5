import type { Child } from '../lab/child.ts';
import type { Lab } from '../lab/lab.ts';
import type { PlainApiApi } from '../processes/plain-api.ts';
import { addressAt } from '../processes/places.ts';
import type { Bar, Figure, FigureContext, Run } from '../report/figure.ts';
import { median, medianRate } from '../report/figure.ts';
import type { BenchApi } from './api.ts';
import { openApi } from './api.ts';
import { measureBurst } from './burst.ts';

const REQUESTS_IN_FLIGHT = 64;
const WARM_UP_SHARE = 0.25;
const EVENTS = { product: 40_000, plain: 20_000 } as const;
const QUICK_SHARE = 0.3;
type Variant = keyof typeof EVENTS;

/**
 * One event per request over HTTP in, one notification out. Plain: an Express route, a job per event, one worker with
 * 50 slots, axios.
 */
const wholeFigure = (destinations: number, barsOf: (runs: readonly Run[]) => Bar[]): Figure => ({
  name: `whole-${destinations}`,
  title: `Whole path, one event per request in, one notification out, ${destinations} addresses`,
  async measure(context) {
    const lab = await context.openLab();
    try {
      const runs = await measureRounds(lab, destinations, context);
      return { runs, bars: barsOf(runs) };
    } finally {
      await lab.close();
    }
  },
});

async function measureRounds(lab: Lab, destinations: number, context: FigureContext): Promise<Run[]> {
  const api = await openApi(lab);
  const worker = await lab.worker('transactional');
  const plainWorker = lab.baseline();
  await plainWorker.call('startPlain', { kind: 'transactional', redisUrl: lab.redisUrl, isAxios: true });
  const plainApi = lab.plainApi();
  const { token } = api.intake;
  const plainPort = await plainApi.call('start', { token, redisUrl: lab.redisUrl });
  const contenders = {
    product: { to: api.intake, pids: { api: [api.pid], worker: [worker.pid] } },
    plain: {
      to: { url: `http://127.0.0.1:${plainPort}/v3/events`, token },
      pids: { api: [plainApi.pid], worker: [plainWorker.pid] },
    },
  };
  const runs: Run[] = [];
  for (let round = 0; round <= context.rounds; round += 1) {
    for (const variant of (['product', 'plain'] as const).toSorted(() => (round % 2 === 0 ? 1 : -1))) {
      context.progress(`whole-${destinations}: round ${round} of ${context.rounds}, ${variant}`);
      const events = Math.ceil(
        EVENTS[variant] * (context.isQuick ? QUICK_SHARE : 1) * (round === 0 ? WARM_UP_SHARE : 1),
      );
      const { to, pids } = contenders[variant];
      const place = await placeOf(api, plainApi, variant, destinations);
      const size = {
        kind: 'transactional',
        events,
        destinations,
        perRequest: 1,
        requestsInFlight: REQUESTS_IN_FLIGHT,
        isAllClicks: true,
      } as const;
      const run = await measureBurst(lab, to, { variant, pids }, size, round, place);
      if (round > 0) runs.push(withCpuPerDelivery(run));
    }
  }
  return runs;
}

/** Gives both variants the same accounts and addresses. Plain needs the address of each account. */
async function placeOf(api: BenchApi, plainApi: Child<PlainApiApi>, variant: Variant, destinations: number) {
  const place = await api.newPlace('transactional', destinations);
  const routes = (place.accounts ?? []).map((account, i) => [account, addressAt(place, i)] as const);
  if (variant === 'plain') await plainApi.call('route', routes);
  return place;
}

/** CPU milliseconds of api, worker and Redis together. */
function withCpuPerDelivery(run: Run): Run {
  const { api = 0, worker = 0, redis = 0 } = run.cpuPer1000;
  return { ...run, values: { ...run.values, cpuMsPerDelivery: api + worker + redis } };
}

function cpuBar(runs: readonly Run[], mustReach: number, aimFor: number): Bar {
  const of = (variant: Variant): number =>
    median(runs.filter((run) => run.variant === variant).map(({ values }) => values['cpuMsPerDelivery'] ?? Number.NaN));
  const measured = of('product') / of('plain');
  return {
    what: 'CPU of api, notifier and Redis per delivery against plain',
    measured,
    unit: 'x',
    mustReach,
    aimFor,
    sense: 'max',
  };
}

const rateBar = (runs: readonly Run[]): Bar => ({
  what: 'delivered/s against plain',
  measured: medianRate(runs, 'product') / medianRate(runs, 'plain'),
  unit: 'x',
  mustReach: 1,
  aimFor: 2,
  sense: 'min',
});

export const wholes: readonly Figure[] = [
  wholeFigure(20, (runs) => [cpuBar(runs, 0.5, 0.3)]),
  wholeFigure(500, (runs) => [rateBar(runs), cpuBar(runs, 0.38, 0.3)]),
  wholeFigure(5000, (runs) => [cpuBar(runs, 0.45, 0.35)]),
];
