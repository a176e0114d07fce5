import { commandsLine, createCommandCounter, totalOf } from '../lab/commands.ts';
import { cpuBetween, residentBytes } from '../lab/cpu.ts';
import { openReceivers } from '../lab/named-receivers.ts';
import type { Figure, FigureContext, Run } from '../report/figure.ts';
import { valueOfRounds } from '../report/figure.ts';
import { openStack } from './stacks.ts';

/** After the start and before the measurement: in the first minute, V8 still compiles. */
const CALM_S = 60;
const COMMANDS_S = 10;
/** All processes, and commands/s, on 2 x AMD EPYC on 2026-11-25. */
const BEFORE = { cpuPercent: 2.8, commandsPerSecond: 85 };

const ACCOUNTS = 50_000;
const QUICK_ACCOUNTS = 2000;

/** An installation with one process of each service, and nothing to do: without accounts, and with many. */
export const idle: Figure = {
  name: 'idle',
  title: 'An installation with nothing to do: CPU of its processes, commands in Redis',
  async measure(context) {
    const runs: Run[] = [];
    const notes: string[] = [];
    for (let round = 1; round <= context.rounds; round += 1) {
      context.progress(`idle: round ${round} of ${context.rounds}`);
      for (const accounts of [0, context.isQuick ? QUICK_ACCOUNTS : ACCOUNTS]) {
        const { run, note } = await measureIdle(context, accounts, round);
        runs.push(run);
        if (round === 1) notes.push(note);
      }
    }
    const bar = (name: keyof typeof BEFORE, what: string, unit: string) =>
      ({
        what,
        measured: valueOfRounds(runs, 'product', name),
        unit,
        mustReach: BEFORE[name] / 2,
        aimFor: BEFORE[name] / 4,
        sense: 'max',
      }) as const;
    return {
      runs,
      bars: [
        bar('cpuPercent', 'CPU of api, notifier, batcher and Redis', '% of a core'),
        bar('commandsPerSecond', 'commands of clients in Redis', 'commands/s'),
        {
          what: 'CPU of all with many accounts, less that without accounts',
          measured: valueOfRounds(runs, 'many accounts', 'cpuPercent') - valueOfRounds(runs, 'product', 'cpuPercent'),
          unit: '% of a core',
          mustReach: 1,
          aimFor: 0.5,
          sense: 'max',
        },
      ],
      notes,
    };
  },
};

async function measureIdle(context: FigureContext, accounts: number, round: number) {
  const lab = await context.openLab();
  try {
    const receivers = await openReceivers(lab, { isHttps: false, keepMs: 5000 });
    const counter = createCommandCounter(lab.redisServer.port);
    const { pids } = await counter.learn(async () => {
      const stack = await openStack('product', lab, receivers);
      await stack.newPlace(accounts);
      await pause(CALM_S);
      return stack;
    });
    const seconds = context.isQuick ? 20 : 30;
    const before = await lab.cpu(pids);
    await pause(seconds);
    const { load: _load, receivers: _receivers, ...cpu } = cpuBetween(before, await lab.cpu(pids));
    const commands = await counter.count(() => pause(COMMANDS_S));
    const percents = Object.fromEntries(
      Object.entries(cpu).map(([role, used]) => [`${role}CpuPercent`, (100 * used) / seconds]),
    );
    const values = {
      accounts,
      apiMegabytes: (await residentBytes(pids['api']?.[0] ?? 0)) / 1e6,
      ...percents,
      cpuPercent: Object.values(percents).reduce((sum, percent) => sum + percent, 0),
      commandsPerSecond: totalOf(commands) / COMMANDS_S,
    };
    const variant = accounts === 0 ? 'product' : 'many accounts';
    const run: Run = { variant, round, events: 0, seconds, perSecond: 0, cpuPer1000: {}, values };
    return {
      run,
      note: `${variant}, commands of clients per second: ${commandsLine(commands, COMMANDS_S)}.`,
    };
  } finally {
    await lab.close();
  }
}

const pause = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
