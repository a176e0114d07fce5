import { randomInt } from 'node:crypto';
import { Command } from '@commander-js/extra-typings';
import { wholeNumber } from '../command-line.ts';
import { soakDeadReceiver } from './dead-receiver.ts';
import { soakHanging } from './hanging.ts';
import { createTerminal } from '../terminal.ts';
import { UserError } from '../user-error.ts';

export const command = new Command()
  .description(
    'Long forms of two fault tests, with figures. It brings up Redis, the services and the receivers by itself.',
  )
  .option(
    '--dead-receiver [events]',
    'a receiver that is down while this number of events waits for it (default: 1000000), and comes back',
    wholeNumber(1, 1_900_000),
  )
  .option(
    '--hanging [receivers]',
    'this number of receivers that never answer (default: 2000), beside 100 healthy ones at 300 events per second',
    wholeNumber(1, 20_000),
  )
  .option('--seed <number>', 'repeats the choices of an earlier run', wholeNumber(1, 4_000_000_000))
  .action(async ({ deadReceiver, hanging, seed = randomInt(1, 1_000_000_000) }) => {
    const terminal = createTerminal();
    if (deadReceiver === undefined && hanging === undefined) throw new UserError('Give --dead-receiver or --hanging.');
    const isSound =
      deadReceiver === undefined
        ? await soakHanging({ hanging: hanging === true ? 2000 : (hanging ?? 0), seed, terminal })
        : await soakDeadReceiver({ events: deadReceiver === true ? 1_000_000 : deadReceiver, terminal });
    if (!isSound) process.exitCode = 1;
  });
