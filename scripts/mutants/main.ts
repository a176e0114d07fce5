import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { Command } from '@commander-js/extra-typings';
import { createTerminal, seconds } from '../terminal.ts';
import { UserError } from '../user-error.ts';
import { someFunctionMutants } from './function-mutants.ts';
import { MUTANTS } from './mutants.ts';
import type { Mutant } from './mutants.ts';

export const command = new Command()
  .description(
    `Breaks each guarantee of docs/guarantees.md on purpose, one fault at a time, and runs the tests that must notice it.
Fails if a fault stays unnoticed. It changes files of the working tree, so they must have no changes, and restores them.`,
  )
  .argument('[word]', 'only faults whose guarantee, description or file has this word')
  .option('--functions <number>', 'faults of the functions in Redis by chance; half of them may stay unnoticed', Number)
  .option('--seed <number>', 'chooses these', Number, 1)
  .action((word = '', { functions, seed }) => {
    const faults = functions === undefined ? MUTANTS : someFunctionMutants(functions, seed);
    const chosen = faults.filter(({ guarantee, what, file }) =>
      [guarantee, what, file].some((text) => text.toLowerCase().includes(word.toLowerCase())),
    );
    if (chosen.length === 0) throw new UserError(`No fault has the word "${word}".`);
    const files = [...new Set(chosen.map(({ file }) => file))];
    const changed = spawnSync('git', ['status', '--porcelain', '--', ...files], { encoding: 'utf8' }).stdout;
    if (changed !== '') throw new UserError(`These files have changes: commit them first.\n${changed}`);
    const terminal = createTerminal();
    const unnoticed = chosen.filter((mutant) => !isNoticed(mutant, (line) => terminal.line(line)));
    terminal.line(`\n${chosen.length} faults, ${unnoticed.length} unnoticed`);
    if (unnoticed.length > (functions === undefined ? 0 : chosen.length * UNNOTICED_MAX)) process.exitCode = 1;
  });

/** A test file that does not load says nothing of its tests. */
const UNLOADED = 'the file does not load';

/** Share of the faults of functions that may stay unnoticed: some are no faults. */
const UNNOTICED_MAX = 0.5;

/** Applies the fault, runs its tests, and restores the file. */
function isNoticed(
  { guarantee, what, file, from, to, tests, moreTests }: Mutant,
  say: (line: string) => void,
): boolean {
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
    let result = runTests(tests);
    if (!result.isRed && moreTests !== undefined) result = runTests(moreTests);
    const { isRed, failed, last } = result;
    say(
      `${isRed ? 'noticed  ' : 'UNNOTICED'} ${seconds(performance.now() - startedAt).padStart(8)}  ${guarantee}: ${what}`,
    );
    for (const line of isRed ? failed.slice(0, 2) : [last]) say(`    ${line.trim()}`);
    return isRed;
  } finally {
    writeFileSync(file, text);
    process.off('SIGINT', ignore);
  }
}

function runTests(tests: readonly string[]) {
  const { stdout } = spawnSync(process.execPath, [...process.execArgv, 'scripts/mailhook.ts', 'test', ...tests], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64_000_000,
  });
  const failed = stdout.split('\n').filter((line) => /^\s*FAILED\s+\S+\.test\.ts: /.test(line));
  return {
    failed,
    isRed: failed.length > 0 && !stdout.includes(UNLOADED),
    last: stdout.trimEnd().split('\n').at(-1) ?? '',
  };
}
