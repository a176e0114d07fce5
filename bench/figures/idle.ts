import { commandsLine, createCommandCounter, totalOf } from '../lab/commands.ts';
import { cpuBetween } from '../lab/cpu.ts';
import { openReceivers } from '../lab/named-receivers.ts';
import type { Figure, FigureContext, Run } from '../report/figure.ts';
import { valueOfRounds } from '../report/figure.ts';
import { openStack } from './stacks.ts';

/** After the start and before the measurement. */
const CALM_S = 20;
const COMMANDS_S = 10;
/** All processes, and commands/s, on 2 x AMD EPYC on 2026-11-25. */
const BEFORE = { cpuPercent: 2.8, commandsPerSecond: 85 };

/** An installation with one process of each service, and nothing to do. */
export const idle: Figure = {
  name: 'idle',
  title: 'An installation with nothing to do: CPU of its processes, commands in Redis',
  async measure(context) {
    const runs: Run[] = [];
    const notes: string[] = [];
    for (let round = 1; round <= context.rounds; round += 1) {
      context.progress(`idle: round ${round} of ${context.rounds}`);
      const { run, note } = await measureIdle(context, round);
      runs.push(run);
      if (round === 1) notes.push(note);
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
      ],
      notes,
    };
  },
};

async function measureIdle(context: FigureContext, round: number): Promise<{ run: Run; note: string }> {
  const lab = await context.openLab();
  try {
    const receivers = await openReceivers(lab, { isHttps: false, keepMs: 5000 });
    const counter = createCommandCounter(lab.redisServer.port);
    const { pids } = await counter.learn(async () => {
      const stack = await openStack('product', lab, receivers);
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
      ...percents,
      cpuPercent: Object.values(percents).reduce((sum, percent) => sum + percent, 0),
      commandsPerSecond: totalOf(commands) / COMMANDS_S,
    };
    return {
      run: { variant: 'product', round, events: 0, seconds, perSecond: 0, cpuPer1000: {}, values },
      note: `Commands of clients per second: ${commandsLine(commands, COMMANDS_S)}.`,
    };
  } finally {
    await lab.close();
  }
}

const pause = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
