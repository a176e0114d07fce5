import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { readArguments } from '../command-line.ts';
import { createTerminal } from '../terminal.ts';
import { runCommand, UserError } from '../user-error.ts';
import { changesOf, releaseFaults } from './release-faults.ts';

const HELP = `npm run release:check -- TAG [--notes FILE]

Checks that the repository may be released as TAG, such as v1.2.0: every file names this version, and the changelog has its section.

  --notes FILE  write that section to FILE
  --help        this text
`;
const FLAGS = { notes: { type: 'string' }, help: { type: 'boolean', default: false } } as const;

async function main(): Promise<void> {
  const terminal = createTerminal();
  const { values, positionals } = readArguments(process.argv.slice(2), FLAGS, 'npm run release:check --');
  const [tag] = positionals;
  if (values.help || tag === undefined) {
    terminal.line(HELP);
    if (!values.help) process.exitCode = 1;
    return;
  }
  const read = (file: string): string => readFileSync(file, 'utf8');
  const faults = releaseFaults(tag, read);
  if (faults.length > 0) throw new UserError(`${tag} cannot be released:\n  ${faults.join('\n  ')}`);
  if (values.notes !== undefined) await writeFile(values.notes, `${changesOf(tag.slice(1), read('CHANGELOG.md'))}\n`);
  terminal.line(`${tag} can be released.`);
}

void runCommand(main);
