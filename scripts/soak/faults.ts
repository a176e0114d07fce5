import { writeFileSync } from 'node:fs';
import { oneOf, readFlags, wholeNumber } from '../command-line.ts';
import { runFaults } from './fault-run.ts';
import { printResult } from './fault-run-result.ts';
import { createTerminal } from '../terminal.ts';
import { runCommand } from '../user-error.ts';

const HELP = `npm run faults -- [options]

Every fault that the tests know, in random order under load, with receivers that hang, flood, refuse and acknowledge in part.
It counts every event at both ends, and explains each one that came twice. It brings up Redis, its replica, the services and
the receivers by itself. docs/reliability.md has the result of the largest run.

  --events 100000       accepted events
  --kills 30            SIGKILLs of processes; each other fault happens once per 30 of them, and at least once
  --rate 2000           events per second at most, a fifth of them notifications
  --appendfsync always  how Redis syncs; with everysec, the missing events show what that loses when Redis is killed
  --seed N              repeats the faults, events and replies of an earlier run
  --json FILE           also writes the result to a file
  --help                this text

Without root there is no OOM kill, and without a C compiler no clock step. The run names what it leaves out.
`;

const FLAGS = {
  events: { type: 'string' },
  kills: { type: 'string' },
  rate: { type: 'string' },
  appendfsync: { type: 'string', default: 'always' },
  seed: { type: 'string' },
  json: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

async function faults(): Promise<void> {
  const flags = readFlags(process.argv.slice(2), FLAGS, 'npm run faults --');
  const terminal = createTerminal();
  if (flags.help) {
    terminal.line(HELP);
    return;
  }
  const number = (flag: 'events' | 'kills' | 'rate' | 'seed', fallback: number, max: number): number =>
    wholeNumber(flag, flags[flag], { fallback, min: 1, max });
  const options = {
    events: number('events', 100_000, 100_000_000),
    kills: number('kills', 30, 100_000),
    rate: number('rate', 2000, 100_000),
    appendfsync: oneOf('appendfsync', flags.appendfsync, ['always', 'everysec']),
    seed: number('seed', Math.ceil(Math.random() * 1_000_000_000), 4_000_000_000),
    terminal,
  };
  terminal.line(`${options.events} events, ${options.kills} SIGKILLs, seed ${options.seed}`);
  const result = await runFaults(options);
  printResult(result, terminal);
  if (flags.json !== undefined) writeFileSync(flags.json, `${JSON.stringify(result, undefined, 2)}\n`);
  if (result.missing > 0 || result.violations.length > 0) process.exitCode = 1;
}

// Connections that were cut off silently would keep the process running.
void runCommand(faults).then(() => process.exit());
