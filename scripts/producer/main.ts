import { Command } from '@commander-js/extra-typings';
import { createTerminal } from '../terminal.ts';
import { packProducer } from './pack.ts';

export const command = new Command()
  .description('Makes the npm package @mailhook/producer. Publish it with: npm publish <the file that this prints>')
  .action(async () => createTerminal().line(await packProducer()));
