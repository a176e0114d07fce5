import { readArguments } from '../command-line.ts';
import { createTerminal } from '../terminal.ts';
import { runCommand } from '../user-error.ts';
import { packProducer } from './pack.ts';

const HELP = `npm run producer:pack

Makes the npm package @mailhook/producer. Publish it with: npm publish <the file that this prints>
`;
const FLAGS = { help: { type: 'boolean', default: false } } as const;

async function main(): Promise<void> {
  const terminal = createTerminal();
  const { values } = readArguments(process.argv.slice(2), FLAGS, 'npm run producer:pack --');
  terminal.line(values.help ? HELP : await packProducer());
}

void runCommand(main);
