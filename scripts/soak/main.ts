import { randomInt } from 'node:crypto';
import { Command } from '@commander-js/extra-typings';
import { wholeNumber } from '../command-line.ts';
import { soakDeadEndpoint } from './dead-endpoint.ts';
import { soakHanging } from './hanging.ts';
import { createTerminal } from '../terminal.ts';
import { UserError } from '../user-error.ts';

export const command = new Command()
  .description(
    'Long forms of two fault tests, with figures. It brings up Redis, the services and the receivers by itself.',
  )
  .option(
    '--dead-endpoint [events]',
    'an endpoint that is down while this number of events waits for it (default: 1000000), and comes back',
    wholeNumber(1, 1_900_000),
  )
  .option(
    '--hanging [receivers]',
    'this number of receivers that never answer (default: 2000), beside 100 healthy ones at 300 events per second',
    wholeNumber(1, 20_000),
  )
  .option('--seed <number>', 'repeats the choices of an earlier run', wholeNumber(1, 4_000_000_000))
  .action(async ({ deadEndpoint, hanging, seed = randomInt(1, 1_000_000_000) }) => {
    const terminal = createTerminal();
    if (deadEndpoint === undefined && hanging === undefined) throw new UserError('Give --dead-endpoint or --hanging.');
    const isSound =
      deadEndpoint === undefined
        ? await soakHanging({ hanging: hanging === true ? 2000 : (hanging ?? 0), seed, terminal })
        : await soakDeadEndpoint({ events: deadEndpoint === true ? 1_000_000 : deadEndpoint, terminal });
    if (!isSound) process.exitCode = 1;
  });
