import { readFlags, wholeNumber } from '../scripts/command-line.ts';
import { createTerminal } from '../scripts/terminal.ts';
import type { Terminal } from '../scripts/terminal.ts';
import { runCommand } from '../scripts/user-error.ts';
import { openApi } from './figures/api.ts';
import { build } from './lab/build.ts';
import { startChild } from './lab/child.ts';
import { residentBytes } from './lab/cpu.ts';
import type { Lab } from './lab/lab.ts';
import { openLab } from './lab/lab.ts';
import type { LoadApi, LoadPlan } from './processes/load.ts';
import type { RunPlace } from './processes/places.ts';
import { median } from './report/figure.ts';
import { columns } from './report/table.ts';

const HELP = `npm run soak -- [--minutes N] [--per-second N]

All three services under a steady load (default 20 minutes at 2,000 events/s: a quarter notifications, one a request; the rest campaign
events, 50 a request), their resident memory beside it. Memory must be flat: the last quarter at most a tenth above the second.`;

const SEGMENT_S = 10;
const DESTINATIONS = 20;
const FLAT_WITHIN = 1.1;

interface Sample {
  readonly atS: number;
  readonly megabytes: Readonly<Record<string, number>>;
}

async function soak(): Promise<void> {
  const flags = readFlags(
    process.argv.slice(2),
    { help: { type: 'boolean', short: 'h' }, minutes: { type: 'string' }, 'per-second': { type: 'string' } },
    'npm run soak --',
  );
  const terminal = createTerminal();
  if (flags.help === true) {
    terminal.line(HELP);
    return;
  }
  const minutes = wholeNumber('minutes', flags.minutes, { fallback: 20, min: 1, max: 1440 });
  const perSecond = wholeNumber('per-second', flags['per-second'], { fallback: 2000, min: 40, max: 100_000 });
  build();
  const lab = await openLab({});
  try {
    const samples = await underLoad(lab, Math.ceil((minutes * 60) / SEGMENT_S), perSecond, terminal);
    report(samples, terminal);
  } finally {
    await lab.close();
  }
}

/** One of the two loads: a kind, its share of the rate, a producer of its own. */
interface Stream {
  readonly load: Lab['load'];
  readonly place: RunPlace;
  readonly to: LoadPlan['to'];
  readonly perSecond: number;
  readonly perRequest: number;
}

/** Segment after segment of load, a sample after each. Everything accepted has to arrive in the end. */
async function underLoad(lab: Lab, segments: number, perSecond: number, terminal: Terminal): Promise<Sample[]> {
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
    { load: lab.load, place: notifications, to, perSecond: perSecond * 0.25, perRequest: 1 },
    { load: second, place: batches, to, perSecond: perSecond * 0.75, perRequest: 50 },
  ];
  const total = (stream: Stream): number => stream.perSecond * SEGMENT_S * segments;
  for (const stream of streams) await lab.receivers.call('also', { ...stream.place, events: total(stream) });
  const samples: Sample[] = [];
  for (let segment = 0; segment < segments; segment += 1) {
    await Promise.all(streams.map((stream) => sendSegment(stream, segment)));
    const sample = { atS: (segment + 1) * SEGMENT_S, megabytes: await residentMegabytes(pids) };
    samples.push(sample);
    const sizes = Object.entries(sample.megabytes).map(([name, size]) => `${name} ${size.toFixed(0)} MB`);
    terminal.progress(`${sample.atS} s: ${sizes.join(', ')}`);
  }
  for (const stream of streams) await reportArrivals(lab, stream, total(stream), terminal);
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

async function reportArrivals(lab: Lab, { place }: Stream, events: number, terminal: Terminal): Promise<void> {
  const count = await lab.receivers.call('until', { run: place.run, distinct: events, withinMs: 30_000 });
  terminal.line(`${place.kind}: ${count?.distinct ?? 0} of ${events} events arrived, ${count?.doubled ?? 0} twice`);
  if (count?.distinct !== events) process.exitCode = 1;
}

function report(samples: readonly Sample[], terminal: Terminal): void {
  const quarter = (number: number, name: string): number =>
    median(
      samples
        .slice(Math.floor((samples.length * number) / 4), Math.ceil((samples.length * (number + 1)) / 4))
        .map(({ megabytes }) => megabytes[name] ?? 0),
    );
  const names = Object.keys(samples[0]?.megabytes ?? {});
  const rows = names.map((name) => {
    const [before, after] = [quarter(1, name), quarter(3, name)];
    // Redis keeps the attempt log: it grows until that is full.
    const isFlat = after <= before * FLAT_WITHIN;
    if (!isFlat && name !== 'redis') process.exitCode = 1;
    return [name, `${before.toFixed(0)} MB`, `${after.toFixed(0)} MB`, isFlat ? 'flat' : 'grows'];
  });
  for (const line of columns([['resident memory', 'second quarter', 'last quarter', ''], ...rows])) terminal.line(line);
}

await runCommand(soak);
