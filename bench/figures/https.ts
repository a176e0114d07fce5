import { LAG_EVERY_MS } from '@mailhook/platform/metrics';
import { startChild } from '../lab/child.ts';
import { residentBytes } from '../lab/cpu.ts';
import type { Lab } from '../lab/lab.ts';
import type { NamedReceivers, NamedReceiversOptions } from '../lab/named-receivers.ts';
import { openedBetween, openReceivers } from '../lab/named-receivers.ts';
import type { LoadApi } from '../processes/load.ts';
import type { RunPlace } from '../processes/places.ts';
import type { Bar, Figure, FigureContext, Run } from '../report/figure.ts';
import { medianCpu, valueOfRounds } from '../report/figure.ts';
import { measureBurst } from './burst.ts';
import type { Followed, SteadySize } from './steady.ts';
import { newPlace, runSteady, steadyRun } from './steady.ts';

/** The notifier alone, behind the publisher, with receivers under many names. */

/** Receivers by the variant's name. Each variant gets a lab of its own. */
type Variants = Readonly<Record<string, NamedReceiversOptions>>;

const MINUTE_AND_A_QUARTER_MS = 75_000;
/** Like nginx: keeps connections for 75 s, and replies say nothing about it. */
const KEEPING = { keepMs: MINUTE_AND_A_QUARTER_MS, isSilent: true } as const;

async function eachVariant(
  { openLab, rounds, progress }: FigureContext,
  figure: string,
  variants: Variants,
  measure: (lab: Lab, options: NamedReceiversOptions, variant: string, round: number) => Promise<Run[]>,
): Promise<Run[]> {
  const runs: Run[] = [];
  const all = Object.entries(variants);
  for (let round = 1; round <= rounds; round += 1) {
    for (const [variant, options] of all.toSorted(() => (round % 2 === 0 ? -1 : 1))) {
      progress(`${figure}: round ${round} of ${rounds}, ${variant}`);
      const lab = await openLab();
      try {
        runs.push(...(await measure(lab, options, variant, round)));
      } finally {
        await lab.close();
      }
    }
  }
  return runs;
}

/** Receivers, and the notifier that sends to them what the publisher accepts. */
async function openNotifier(lab: Lab, options: NamedReceiversOptions) {
  const receivers = await openReceivers(lab, options);
  const worker = await lab.worker('transactional', receivers.environment);
  const pids = { worker: [worker.pid] };
  return { receivers, worker, steady: { to: 'publisher', pids, place: newPlaceOf(lab, receivers) } as const };
}

const newPlaceOf = (lab: Lab, { baseUrl }: NamedReceivers): RunPlace => newPlace(lab, 'transactional', baseUrl);

/** Every destination in turn, at a fixed rate, measured from the second turn on. */
async function measureTurns(
  lab: Lab,
  options: NamedReceiversOptions,
  variant: string,
  round: number,
  { destinations, perSecond, turns }: { destinations: number; perSecond: number; turns: number },
): Promise<Run[]> {
  const { receivers, steady } = await openNotifier(lab, options);
  const turn = steadySize(destinations, perSecond, destinations / perSecond);
  await runSteady(lab, steady, turn);
  const before = await receivers.opened();
  const size = { ...turn, seconds: turn.seconds * turns };
  const result = await runSteady(lab, steady, size);
  const { connections, handshakes, resumed } = openedBetween(before, await receivers.opened());
  const run = steadyRun(variant, round, size, result);
  const values = {
    ...run.values,
    connectionsPerDelivery: connections / run.events,
    handshakesPerDelivery: handshakes / run.events,
    resumedPercent: handshakes === 0 ? 0 : (100 * resumed) / handshakes,
  };
  return [{ ...run, values }];
}

const steadySize = (destinations: number, perSecond: number, seconds: number): SteadySize => ({
  kind: 'transactional',
  perSecond,
  seconds,
  destinations,
  perRequest: 1,
  isInTurn: true,
  graceMs: 20_000,
});

const bar = (what: string, measured: number, unit: string, mustReach: number, aimFor?: number): Bar => ({
  what,
  measured,
  unit,
  mustReach,
  aimFor,
  sense: 'max',
});

const workerRatio = (runs: readonly Run[], variant: string, to: string): number =>
  medianCpu(runs, variant, 'worker') / medianCpu(runs, to, 'worker');

const quiet: Figure = {
  name: 'https-quiet',
  title: '2,000 destinations with an event every 5 s, https and http, receivers keep 75 s and do not say so',
  async measure(context) {
    const size = { destinations: 2000, perSecond: 400, turns: context.isQuick ? 2 : 4 };
    const variants = { https: { isHttps: true, ...KEEPING }, http: { isHttps: false, ...KEEPING } };
    const runs = await eachVariant(context, 'https-quiet', variants, (...given) => measureTurns(...given, size));
    const ratio = (name: string): number => valueOfRounds(runs, 'https', name) / valueOfRounds(runs, 'http', name);
    return {
      runs,
      bars: [
        bar('handshakes per delivery', valueOfRounds(runs, 'https', 'handshakesPerDelivery'), 'handshakes', 0.02, 0),
        bar('CPU of the worker, https against http', workerRatio(runs, 'https', 'http'), 'x', 1.3, 1.15),
        bar('p99, https against http', ratio('p99Ms'), 'x', 1.5, 1.1),
      ],
    };
  },
};

const closing: Figure = {
  name: 'https-closing',
  title: '1,000 destinations with an event every 5 s, receivers close after 1 s, with and without sessions',
  async measure(context) {
    const size = { destinations: 1000, perSecond: 200, turns: context.isQuick ? 2 : 4 };
    const variants = {
      resumable: { isHttps: true, keepMs: 1000 },
      full: { isHttps: true, keepMs: 1000, isWithoutSessions: true },
      'full, RSA 2048': { isHttps: true, keepMs: 1000, isWithoutSessions: true, isRsa: true },
      http: { isHttps: false, keepMs: 1000 },
    };
    const runs = await eachVariant(context, 'https-closing', variants, (...given) => measureTurns(...given, size));
    const resumed = valueOfRounds(runs, 'resumable', 'resumedPercent');
    const against = bar(
      'CPU of the worker against full handshakes',
      workerRatio(runs, 'resumable', 'full'),
      'x',
      0.6,
      0.4,
    );
    return {
      runs,
      bars: [{ ...bar('handshakes that resume a session', resumed, '%', 95, 99), sense: 'min' }, against],
    };
  },
};

const WARM = 20;
const COLD = 5000;
const COLD_AFTER_MS = 2000;

/** One event to each of many destinations without a connection, beside a steady load of others. */
const burst: Figure = {
  name: 'https-burst',
  title: `One event to ${COLD} new https destinations at the same time, beside ${WARM} with 100 events/s`,
  async measure(context) {
    const variants = { https: { isHttps: true, ...KEEPING } };
    const runs = await eachVariant(context, 'https-burst', variants, measureCold);
    const ratio = valueOfRounds(runs, 'during the burst', 'p99Ms') / valueOfRounds(runs, 'no burst', 'p99Ms');
    const lag = valueOfRounds(runs, 'during the burst', 'eventLoopP99Ms');
    return {
      runs,
      bars: [
        bar('p99 of the others, during the burst against no burst', ratio, 'x', 2, 1.2),
        bar('p99 of the event loop of the worker during the burst', lag, 'ms', 50),
      ],
    };
  },
};

async function measureCold(lab: Lab, options: NamedReceiversOptions, _variant: string, round: number): Promise<Run[]> {
  const { receivers, worker, steady } = await openNotifier(lab, options);
  const size = steadySize(WARM, 100, 8);
  await runSteady(lab, steady, { ...size, perSecond: 400, seconds: 3 });
  await eventLoopP99Ms(worker.opsPort);
  const calm = steadyRun('no burst', round, size, await runSteady(lab, steady, size));
  const calmLag = await eventLoopP99Ms(worker.opsPort);
  const cold = await prepareCold(lab, receivers.baseUrl);
  let lag = 0;
  let coldMs = 0;
  const meanwhile = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, COLD_AFTER_MS));
    await eventLoopP99Ms(worker.opsPort);
    coldMs = await cold.send();
    lag = await eventLoopP99Ms(worker.opsPort);
  };
  const seconds = 12;
  const result = await runSteady(lab, { ...steady, meanwhile }, { ...size, seconds });
  await cold.stop();
  const isDuring = ({ sentMs }: Followed): boolean => sentMs >= COLD_AFTER_MS && sentMs <= COLD_AFTER_MS + coldMs;
  const during = steadyRun(
    'during the burst',
    round,
    { ...size, seconds: coldMs / 1000 },
    {
      ...result,
      events: result.events.filter(isDuring),
    },
  );
  return [
    { ...calm, values: { ...calm.values, eventLoopP99Ms: calmLag } },
    // The CPU is that of all events of the run, cold ones included.
    {
      ...during,
      cpuPer1000: {},
      values: { ...during.values, eventLoopP99Ms: lag, coldPerSecond: COLD / (coldMs / 1000) },
    },
  ];
}

/** A second producer, with one event for each new destination. */
async function prepareCold(lab: Lab, baseUrl: string) {
  const load = startChild<LoadApi>('load');
  await load.call('open', { redisUrl: lab.redisUrl, queuePrefix: lab.queuePrefix });
  const place = newPlace(lab, 'transactional', baseUrl);
  await load.call('prepare', { ...place, to: 'publisher', events: COLD, destinations: COLD, perRequest: 100 });
  return {
    /** Returns the milliseconds until all have arrived. */
    async send(): Promise<number> {
      const { run, kind } = place;
      await lab.receivers.call('also', { run, kind, events: COLD });
      const startedMs = performance.now();
      await load.call('burst', { requestsInFlight: 32 });
      const count = await lab.receivers.call('until', { run, distinct: COLD, withinMs: 60_000 });
      if (count?.distinct !== COLD) throw new Error(`${count?.distinct ?? 0} of ${COLD} cold events arrived`);
      return performance.now() - startedMs;
    },
    stop: () => load.stop(),
  };
}

/** Since the last call, because a scrape of the metrics resets it. Without the interval of the measurement. */
async function eventLoopP99Ms(opsPort: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
  return (
    Number(/^nodejs_eventloop_lag_p99_seconds(?:\{.*\})? (\S+)/m.exec(text)?.[1] ?? Number.NaN) * 1000 - LAG_EVERY_MS
  );
}

const busy: Figure = {
  name: 'https-busy',
  title: 'Notifications to 20 addresses at full speed, https and http',
  async measure(context) {
    const variants = { https: { isHttps: true, ...KEEPING }, http: { isHttps: false, ...KEEPING } };
    const events = context.isQuick ? 40_000 : 120_000;
    const runs = await eachVariant(context, 'https-busy', variants, async (lab, options, variant, round) => {
      const { steady } = await openNotifier(lab, options);
      const { pids, place } = steady;
      const by = { variant, pids };
      const size = { kind: 'transactional', events, destinations: WARM, perRequest: 100 } as const;
      await measureBurst(lab, 'publisher', by, { ...size, events: events / 2 }, 0, place);
      return [await measureBurst(lab, 'publisher', by, size, round, place)];
    });
    const measured = workerRatio(runs, 'https', 'http');
    return { runs, bars: [bar('CPU of the worker per notification, https against http', measured, 'x', 1.4, 1.2)] };
  },
};

const KEPT = 2000;
/** Slow enough that the handshakes leave half of a core free. */
const KEPT_PER_SECOND = 250;

const idleConnections: Figure = {
  name: 'idle-connections',
  title: `Memory of the worker per kept idle connection, ${KEPT} of them`,
  isOnDemand: true,
  async measure(context) {
    const keepMs = MINUTE_AND_A_QUARTER_MS;
    const variants = { https: { isHttps: true, keepMs }, http: { isHttps: false, keepMs } };
    const runs = await eachVariant(context, 'idle-connections', variants, async (lab, options, variant, round) => {
      const { receivers, worker, steady } = await openNotifier(lab, options);
      await runSteady(lab, steady, steadySize(WARM, KEPT_PER_SECOND, KEPT / KEPT_PER_SECOND));
      const before = await residentBytes(worker.pid);
      const size = steadySize(KEPT, KEPT_PER_SECOND, KEPT / KEPT_PER_SECOND);
      const result = await runSteady(lab, { ...steady, place: newPlaceOf(lab, receivers) }, size);
      const kilobytesPerConnection = ((await residentBytes(worker.pid)) - before) / KEPT / 1000;
      const run = steadyRun(variant, round, size, result);
      return [{ ...run, values: { kilobytesPerConnection, ...run.values } }];
    });
    return { runs, bars: [], notes: ['Garbage is in it: a few kB per connection more or less.'] };
  },
};

export const httpsFigures: readonly Figure[] = [quiet, closing, burst, busy, idleConnections];
