import type { CommandCounter } from '../lab/commands.ts';
import { commandsLine, createCommandCounter, totalOf } from '../lab/commands.ts';
import { openedBetween, openReceivers } from '../lab/named-receivers.ts';
import type { Bar, Figure, FigureContext, Run } from '../report/figure.ts';
import { median, medianCpu, valueOfRounds } from '../report/figure.ts';
import type { StackName } from './stacks.ts';
import { openStack } from './stacks.ts';
import type { SteadySize } from './steady.ts';
import { runSteady, steadyRun } from './steady.ts';

interface EverydayFigure {
  readonly name: string;
  readonly title: string;
  readonly isHttps: boolean;
  /** How long the receivers keep idle connections. */
  readonly keepMs: number;
  readonly perSecond: number;
  readonly destinations: number;
  readonly stacks: readonly StackName[];
  readonly bars: (runs: readonly Run[]) => Bar[];
}

const STACKS = ['product', 'plain', 'plain, keeps 90 s'] as const;
/** Compiles the hot code of all processes before the measurement. V8 still compiles after 15 s at this rate. */
const WARM_UP_SECONDS = { quick: 10, full: 60 } as const;
/**
 * Each destination has an event every 5.1 s. With 500 destinations it would be 5.0 s, and chance would decide whether a
 * connection that is kept for 5 s (by Node's default agent, or by Node's server) is reused.
 */
const DESTINATIONS = 510;
/** The api compares a page of accounts every 30 s: once in a full measurement, and never in a quick one. */
const SECONDS = { quick: 10, full: 30 } as const;
const GRACE_MS = 15_000;

/**
 * One event per request, through all processes of each product, far below what they could carry. Each stack runs alone,
 * with its own Redis.
 */
const everydayFigure = (figure: EverydayFigure): Figure => ({
  name: figure.name,
  title: figure.title,
  async measure(context) {
    const runs: Run[] = [];
    const notes: string[] = [];
    for (let round = 1; round <= context.rounds; round += 1) {
      for (let i = 0; i < figure.stacks.length; i += 1) {
        const stack = figure.stacks[(i + round - 1) % figure.stacks.length] ?? 'product';
        context.progress(`${figure.name}: round ${round} of ${context.rounds}, ${stack}`);
        const { run, note } = await measureStack(context, figure, stack, round);
        runs.push(run);
        if (round === 1) notes.push(note);
      }
    }
    return { runs, bars: figure.bars(runs), notes };
  },
});

async function measureStack(context: FigureContext, figure: EverydayFigure, name: StackName, round: number) {
  const lab = await context.openLab();
  try {
    const receivers = await openReceivers(lab, figure);
    const { destinations, perSecond } = figure;
    const counter = createCommandCounter(lab.redisServer.port);
    const steady = await counter.learn(async () => {
      const stack = await openStack(name, lab, receivers);
      const warm = { to: stack.intake, pids: stack.pids, place: await stack.newPlace(destinations) };
      await runSteady(lab, warm, sizeOf(figure, perSecond * WARM_UP_SECONDS[context.isQuick ? 'quick' : 'full']));
      return warm;
    });
    const counted = Math.max(destinations, 3 * perSecond);
    const commands = await counter.count(() => runSteady(lab, steady, sizeOf(figure, counted)));
    const before = await receivers.opened();
    const size = sizeOf(figure, perSecond * SECONDS[context.isQuick ? 'quick' : 'full']);
    const result = await runSteady(lab, steady, size);
    const { connections, handshakes } = openedBetween(before, await receivers.opened());
    const idlePerSecond = await idleCommands(counter);
    const run = steadyRun(name, round, size, result);
    const { load: _load, receivers: _receivers, ...own } = run.cpuPer1000;
    const values = {
      cpuMsPerEvent: Object.values(own).reduce((sum, ms) => sum + ms, 0),
      commandsPerEvent: totalOf(commands) / counted - idlePerSecond / perSecond,
      connectionsPerDelivery: connections / run.events,
      handshakesPerDelivery: handshakes / run.events,
      doubled: result.count.doubled,
    };
    const note =
      `${name}, commands of clients per event, idle ones included: ${commandsLine(commands, counted)}. ` +
      `Idle: ${idlePerSecond} commands/s.`;
    return { run: { ...run, values: { ...values, ...run.values } }, note };
  } finally {
    await lab.close();
  }
}

/** Per second: the median of some seconds, because a check of all accounts belongs to no event. */
async function idleCommands(counter: CommandCounter): Promise<number> {
  const totals: number[] = [];
  for (let second = 0; second < 5; second += 1)
    totals.push(totalOf(await counter.count(() => new Promise((resolve) => setTimeout(resolve, 1000)))));
  return median(totals);
}

const sizeOf = (figure: EverydayFigure, events: number): SteadySize => ({
  kind: 'transactional',
  perSecond: figure.perSecond,
  seconds: events / figure.perSecond,
  destinations: figure.destinations,
  perRequest: 1,
  isAllClicks: true,
  isInTurn: true,
  graceMs: GRACE_MS,
});

const ratio = (runs: readonly Run[], value: string, to: StackName): number =>
  valueOfRounds(runs, 'product', value) / valueOfRounds(runs, to, value);

const ratioBar = (what: string, measured: number, mustReach: number, aimFor: number): Bar => ({
  what,
  measured,
  unit: 'x',
  mustReach,
  aimFor,
  sense: 'max',
});

const commandsBar = (runs: readonly Run[]): Bar => ({
  what: 'commands of clients in Redis per event, without idle ones',
  measured: valueOfRounds(runs, 'product', 'commandsPerEvent'),
  unit: 'commands',
  mustReach: 7,
  aimFor: 5,
  sense: 'max',
});

const redisBar = (runs: readonly Run[]): Bar =>
  ratioBar(
    'CPU of Redis per event against plain',
    medianCpu(runs, 'product', 'redis') / medianCpu(runs, 'plain', 'redis'),
    1,
    0.7,
  );

/** Outpost took 3.3 ms of CPU per event where plain took this, measured in one session on one machine. */
const OUTPOST_MS = 3.3;
const PLAIN_BESIDE_OUTPOST_MS = median([4.97, 6.26]);

const latencyFigure = (perSecond: number): Figure =>
  everydayFigure({
    name: `latency-${perSecond}`,
    title: `Event to request at the receiver over HTTP, ${perSecond} notifications/s, 20 addresses, against plain`,
    isHttps: false,
    keepMs: 75_000,
    perSecond,
    destinations: 20,
    stacks: ['product', 'plain'],
    bars: (runs) => [
      ratioBar('p50 against plain', ratio(runs, 'p50Ms', 'plain'), 1, 0.8),
      ratioBar('p99 against plain', ratio(runs, 'p99Ms', 'plain'), 1, 0.8),
    ],
  });

export const everydays: readonly Figure[] = [
  everydayFigure({
    name: 'everyday',
    title: `One event per request, 100 events/s, ${DESTINATIONS} destinations with an event every 5.1 s, http`,
    isHttps: false,
    // Node's default.
    keepMs: 5000,
    perSecond: 100,
    destinations: DESTINATIONS,
    stacks: STACKS,
    bars: (runs) => [
      ratioBar('CPU per event against plain', ratio(runs, 'cpuMsPerEvent', 'plain'), 0.8, 0.5),
      redisBar(runs),
      commandsBar(runs),
    ],
  }),
  everydayFigure({
    name: 'everyday-https',
    title: 'The same over https, receivers keep idle connections for 75 s',
    isHttps: true,
    keepMs: 75_000,
    perSecond: 100,
    destinations: DESTINATIONS,
    stacks: STACKS,
    bars: (runs) => [
      ratioBar(
        'CPU per event against plain that keeps 90 s',
        ratio(runs, 'cpuMsPerEvent', 'plain, keeps 90 s'),
        0.8,
        0.5,
      ),
      ratioBar(
        `CPU per event against Outpost (its share of plain: ${OUTPOST_MS} of ${PLAIN_BESIDE_OUTPOST_MS.toFixed(1)} ms)`,
        ratio(runs, 'cpuMsPerEvent', 'plain') * (PLAIN_BESIDE_OUTPOST_MS / OUTPOST_MS),
        0.9,
        0.5,
      ),
    ],
  }),
  everydayFigure({
    name: 'everyday-logged',
    title: 'The same over http with the event log on, against the log off',
    isHttps: false,
    keepMs: 75_000,
    perSecond: 100,
    destinations: DESTINATIONS,
    stacks: ['product', 'event log'],
    bars: (runs) => {
      const logged = valueOfRounds(runs, 'event log', 'cpuMsPerEvent');
      return [ratioBar('CPU per event with the log', logged / valueOfRounds(runs, 'product', 'cpuMsPerEvent'), 1.1, 1)];
    },
  }),
  latencyFigure(100),
  latencyFigure(300),
];
