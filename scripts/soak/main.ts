import { oneOf, readFlags, wholeNumber } from '../command-line.ts';
import { soakDeadEndpoint } from './dead-endpoint.ts';
import { soakHanging } from './hanging.ts';
import { runFaults } from './fault-run.ts';
import { printResult } from './fault-run-result.ts';
import { createTerminal } from '../terminal.ts';
import { runCommand } from '../user-error.ts';

const HELP = `npm run soak -- [options]

The long form of the fault tests, with figures. It brings up Redis, the services and the receivers by itself.

  --minutes 10             random faults under load, for about so long (the default run; npm run faults has more options)
  --rate 2000              events a second, a fifth of them notifications
  --appendfsync always     how Redis syncs; with everysec the missing events tell what that loses when Redis is killed
  --seed N                 repeats the choices of an earlier run
  --dead-endpoint 1000000  instead: an endpoint that is down while so many events wait for it, and comes back
  --hanging 2000           instead: so many receivers that never answer, beside 100 healthy ones at 300 events a second
  --help                   this text
`;

const FLAGS = {
  minutes: { type: 'string' },
  rate: { type: 'string' },
  seed: { type: 'string' },
  appendfsync: { type: 'string' },
  'dead-endpoint': { type: 'string' },
  hanging: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

/** Adds the default number after `--dead-endpoint` and `--hanging` if they stand alone. */
const withDefaults = (args: readonly string[]): string[] =>
  args.flatMap((arg, i) => {
    const isBare = args[i + 1] === undefined || args[i + 1]?.startsWith('--') === true;
    if (arg === '--dead-endpoint' && isBare) return [arg, '1000000'];
    return arg === '--hanging' && isBare ? [arg, '2000'] : [arg];
  });

async function soak(): Promise<void> {
  const flags = readFlags(withDefaults(process.argv.slice(2)), FLAGS, 'npm run soak --');
  const terminal = createTerminal();
  if (flags.help) {
    terminal.line(HELP);
    return;
  }
  const seed = wholeNumber('seed', flags.seed, {
    fallback: Math.floor(Math.random() * 1_000_000_000),
    min: 1,
    max: 4_000_000_000,
  });
  const isSound = await choose(flags, seed, terminal);
  if (!isSound) process.exitCode = 1;
}

function choose(
  flags: { readonly [Flag in 'minutes' | 'rate' | 'appendfsync' | 'dead-endpoint' | 'hanging']?: string | undefined },
  seed: number,
  terminal: ReturnType<typeof createTerminal>,
): Promise<boolean> {
  const number = (flag: Exclude<keyof typeof flags, 'appendfsync'>, fallback: number, max: number) =>
    wholeNumber(flag, flags[flag], { fallback, min: 1, max });
  if (flags['dead-endpoint'] !== undefined)
    return soakDeadEndpoint({ events: number('dead-endpoint', 1_000_000, 1_900_000), terminal });
  if (flags.hanging !== undefined) return soakHanging({ hanging: number('hanging', 2000, 20_000), seed, terminal });
  const appendfsync = oneOf('appendfsync', flags.appendfsync ?? 'always', ['always', 'everysec']);
  const [minutes, rate] = [number('minutes', 10, 10_000), number('rate', 2000, 100_000)];
  return soakFaults({ minutes, rate, appendfsync, seed, terminal });
}

/** The share of its rate that the load reaches, because nothing is accepted while Redis is down. */
const ACCEPTED_SHARE = 0.6;
const KILLS_PER_MINUTE = 6;

async function soakFaults({
  minutes,
  ...options
}: { readonly minutes: number } & Omit<Parameters<typeof runFaults>[0], 'events' | 'kills'>): Promise<boolean> {
  const events = Math.round(minutes * 60 * options.rate * ACCEPTED_SHARE);
  const result = await runFaults({ ...options, events, kills: minutes * KILLS_PER_MINUTE });
  printResult(result, options.terminal);
  return result.missing === 0 && result.violations.length === 0;
}

void runCommand(soak);
