import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { Command } from '@commander-js/extra-typings';
import { createTerminal, seconds } from '../terminal.ts';
import { UserError } from '../user-error.ts';
import { MUTANTS } from './mutants.ts';
import type { Mutant } from './mutants.ts';

export const command = new Command()
  .description(
    `Breaks each guarantee of docs/guarantees.md on purpose, one fault at a time, and runs the tests that must notice it.
Fails if a fault stays unnoticed. It changes files of the working tree, so they must have no changes, and restores them.`,
  )
  .argument('[word]', 'only faults whose guarantee, description or file has this word')
  .action((word = '') => {
    const chosen = MUTANTS.filter(({ guarantee, what, file }) =>
      [guarantee, what, file].some((text) => text.toLowerCase().includes(word.toLowerCase())),
    );
    if (chosen.length === 0) throw new UserError(`No fault has the word "${word}".`);
    const files = [...new Set(chosen.map(({ file }) => file))];
    const changed = spawnSync('git', ['status', '--porcelain', '--', ...files], { encoding: 'utf8' }).stdout;
    if (changed !== '') throw new UserError(`These files have changes: commit them first.\n${changed}`);
    const terminal = createTerminal();
    const unnoticed = chosen.filter((mutant) => !isNoticed(mutant, (line) => terminal.line(line)));
    terminal.line(`\n${chosen.length} faults, ${unnoticed.length} unnoticed`);
    if (unnoticed.length > 0) process.exitCode = 1;
  });

/** A test file that does not load says nothing of its tests. */
const UNLOADED = 'the file does not load';

/** Applies the fault, runs its tests, and restores the file. */
function isNoticed({ guarantee, what, file, from, to, tests }: Mutant, say: (line: string) => void): boolean {
  const text = readFileSync(file, 'utf8');
  const startedAt = performance.now();
  // A signal to the whole group ends the tests too, and this process only after it has restored the file.
  const ignore = (): void => undefined;
  process.on('SIGINT', ignore);
  try {
    writeFileSync(
      file,
      text.replace(from, () => to),
    );
    const { stdout } = spawnSync(process.execPath, [...process.execArgv, 'scripts/mailhook.ts', 'test', ...tests], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      maxBuffer: 64_000_000,
    });
    const failed = stdout.split('\n').filter((line) => /^\s*FAILED\s+\S+\.test\.ts: /.test(line));
    const isRed = failed.length > 0 && !stdout.includes(UNLOADED);
    say(
      `${isRed ? 'noticed  ' : 'UNNOTICED'} ${seconds(performance.now() - startedAt).padStart(8)}  ${guarantee}: ${what}`,
    );
    for (const line of isRed ? failed.slice(0, 2) : [stdout.trimEnd().split('\n').at(-1) ?? ''])
      say(`    ${line.trim()}`);
    return isRed;
  } finally {
    writeFileSync(file, text);
    process.off('SIGINT', ignore);
  }
}
