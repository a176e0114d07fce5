import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { Command } from '@commander-js/extra-typings';
import { createTerminal } from '../terminal.ts';
import { UserError } from '../user-error.ts';
import { changesOf, releaseFaults } from './release-faults.ts';

export const command = new Command()
  .description(
    'Checks that the repository may be released: every file names this version, and the changelog has its section.',
  )
  .argument('<tag>', 'such as v1.2.0')
  .option('--notes <file>', 'write the section of the changelog to this file')
  .action(async (tag, { notes }) => {
    const read = (file: string): string => readFileSync(file, 'utf8');
    const faults = releaseFaults(tag, read);
    if (faults.length > 0) throw new UserError(`${tag} cannot be released:\n  ${faults.join('\n  ')}`);
    if (notes !== undefined) await writeFile(notes, `${changesOf(tag.slice(1), read('CHANGELOG.md'))}\n`);
    createTerminal().line(`${tag} can be released.`);
  });
