import { openApi } from './api.ts';
import { startChild } from '../lab/child.ts';
import { residentBytes } from '../lab/cpu.ts';
import type { Lab } from '../lab/lab.ts';
import type { LoadApi, LoadPlan } from '../processes/load.ts';
import type { RunPlace } from '../processes/places.ts';
import type { Bar, Figure, Run } from '../report/figure.ts';
import { median } from '../report/figure.ts';

const SEGMENT_S = 10;
const MINUTES = 20;
const PER_SECOND = 2000;
const DESTINATIONS = 20;
const SERVICES = ['api', 'notifier', 'batcher'];

interface Sample {
  readonly atS: number;
  readonly megabytes: Readonly<Record<string, number>>;
}

/** Shows whether the memory of all three services stays flat under a long steady load. Runs only when named. */
export const soak: Figure = {
  name: 'soak',
  title: `${MINUTES} minutes at ${PER_SECOND} events/s over HTTP, a quarter of them notifications (quick: 1 minute)`,
  isOnDemand: true,
  async measure(context) {
    const lab = await context.openLab();
    try {
      const segments = ((context.isQuick ? 1 : MINUTES) * 60) / SEGMENT_S;
      const samples = await underLoad(lab, segments, (text) => context.progress(`soak: ${text}`));
      return { runs: runsOf(samples), bars: barsOf(samples), notes: ['Redis grows while the log of attempts fills'] };
    } finally {
      await lab.close();
    }
  },
};

/** One of the two loads: a mechanism, its share of the rate, and a separate producer. */
interface Stream {
  readonly load: Lab['load'];
  readonly place: RunPlace;
  readonly to: LoadPlan['to'];
  readonly perSecond: number;
  readonly perRequest: number;
}

/**
 * Runs one segment of load after the other and takes a sample after each. In the end all accepted events must have
 * arrived.
 */
async function underLoad(lab: Lab, segments: number, progress: (text: string) => void): Promise<Sample[]> {
  const api = await openApi(lab);
  const [notifier, batcher] = await Promise.all([lab.worker('transactional'), lab.worker('campaign')]);
  const pids = { api: api.pid, notifier: notifier.pid, batcher: batcher.pid, redis: lab.redisServer.pid };
  const second = startChild<LoadApi>('load');
  await second.call('open', { redisUrl: lab.redisUrl, queuePrefix: lab.queuePrefix });
  const [notifications, batches] = [
    await api.newPlace('transactional', DESTINATIONS),
    await api.newPlace('campaign', DESTINATIONS),
  ];
  const to = api.intake;
  const streams: Stream[] = [
    { load: lab.load, place: notifications, to, perSecond: PER_SECOND * 0.25, perRequest: 1 },
    { load: second, place: batches, to, perSecond: PER_SECOND * 0.75, perRequest: 50 },
  ];
  const total = (stream: Stream): number => stream.perSecond * SEGMENT_S * segments;
  for (const stream of streams) await lab.receivers.call('also', { ...stream.place, events: total(stream) });
  const samples: Sample[] = [];
  for (let segment = 0; segment < segments; segment += 1) {
    await Promise.all(streams.map((stream) => sendSegment(stream, segment)));
    const sample = { atS: (segment + 1) * SEGMENT_S, megabytes: await residentMegabytes(pids) };
    samples.push(sample);
    const sizes = Object.entries(sample.megabytes).map(([name, size]) => `${name} ${size.toFixed(0)} MB`);
    progress(`${sample.atS} s: ${sizes.join(', ')}`);
  }
  for (const stream of streams) await awaitArrivals(lab, stream, total(stream));
  await second.stop();
  return samples;
}

async function sendSegment({ load, place, to, perSecond, perRequest }: Stream, segment: number): Promise<void> {
  const events = perSecond * SEGMENT_S;
  const plan = { ...place, to, events, destinations: DESTINATIONS, perRequest, isAllClicks: true };
  await load.call('prepare', { ...plan, firstSeq: segment * events });
  await load.call('steady', { perSecond, events });
}

async function residentMegabytes(pids: Readonly<Record<string, number>>): Promise<Record<string, number>> {
  const sizes = await Promise.all(Object.values(pids).map(residentBytes));
  return Object.fromEntries(Object.keys(pids).map((name, i) => [name, (sizes[i] ?? 0) / 1e6]));
}

async function awaitArrivals(lab: Lab, { place }: Stream, events: number): Promise<void> {
  const count = await lab.receivers.call('until', { run: place.run, distinct: events, withinMs: 30_000 });
  if (count?.distinct !== events) throw new Error(`${place.kind}: ${count?.distinct ?? 0} of ${events} events arrived`);
}

const runsOf = (samples: readonly Sample[]): Run[] =>
  samples.map(({ atS, megabytes }, i) => ({
    variant: `after ${atS} s`,
    round: i + 1,
    events: PER_SECOND * SEGMENT_S,
    seconds: SEGMENT_S,
    perSecond: PER_SECOND,
    cpuPer1000: {},
    values: Object.fromEntries(Object.entries(megabytes).map(([name, size]) => [`${name}Megabytes`, size])),
  }));

/** Compares the median of the last quarter with that of the second, because the services warm up in the first. */
function barsOf(samples: readonly Sample[]): Bar[] {
  const quarter = (number: number, name: string): number => {
    const from = Math.floor((samples.length * number) / 4);
    return median(
      samples.slice(from, from + Math.ceil(samples.length / 4)).map(({ megabytes }) => megabytes[name] ?? 0),
    );
  };
  return SERVICES.map((name) => ({
    what: `${name}: resident memory, last quarter against second`,
    measured: quarter(3, name) / quarter(1, name),
    unit: 'x',
    mustReach: 1.1,
    aimFor: 1,
    sense: 'max',
  }));
}
