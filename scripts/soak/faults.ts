import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Command, Option } from '@commander-js/extra-typings';
import { wholeNumber } from '../command-line.ts';
import { runFaults } from './fault-run.ts';
import { printResult } from './fault-run-result.ts';
import { createTerminal } from '../terminal.ts';

/** What the counts of the largest run need. */
const HEAP = '--max-old-space-size=6144';

export const command = new Command()
  .description(
    `Every fault that the tests know, in random order under load, with receivers that hang, flood, refuse and
acknowledge in part. It counts every event at both ends, and explains each repeated one. It brings up Redis, its
replica, the services and the receivers by itself. docs/reliability.md has the result of the largest run.

Without root there is no OOM kill, and without a C compiler no clock step. The run names what it leaves out.`,
  )
  .option('--events <number>', 'accepted events', wholeNumber(1, 100_000_000), 100_000)
  .option(
    '--kills <number>',
    'SIGKILLs of processes; each other fault happens once per 30 of them, and at least once',
    wholeNumber(1, 100_000),
    30,
  )
  .option('--rate <number>', 'events per second at most, a fifth of them notifications', wholeNumber(1, 100_000), 2000)
  .addOption(
    new Option(
      '--appendfsync <policy>',
      'how Redis syncs; with everysec, the missing events show what that loses when Redis is killed',
    )
      .choices(['always', 'everysec'] as const)
      .default('always' as const),
  )
  .option('--seed <number>', 'repeats the faults, events and replies of an earlier run', wholeNumber(1, 4_000_000_000))
  .option('--json <file>', 'also writes the result to a file')
  .action(async ({ json, seed = randomInt(1, 1_000_000_000), ...options }) => {
    if (!process.execArgv.includes(HEAP)) {
      const again = [HEAP, ...process.execArgv, ...process.argv.slice(1)];
      process.exitCode = spawnSync(process.execPath, again, { stdio: 'inherit' }).status ?? 1;
      return;
    }
    const terminal = createTerminal();
    terminal.line(`${options.events} events, ${options.kills} SIGKILLs, seed ${seed}`);
    const result = await runFaults({ ...options, seed, terminal });
    printResult(result, terminal);
    if (json !== undefined) writeFileSync(json, `${JSON.stringify(result, undefined, 2)}\n`);
    if (result.missing > 0 || result.violations.length > 0) process.exitCode = 1;
  });
