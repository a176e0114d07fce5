import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { Command } from '@commander-js/extra-typings';
import { wholeNumber } from '../command-line.ts';
import { createTerminal, seconds } from '../terminal.ts';
import { UserError } from '../user-error.ts';
import { functionMutants, someOf } from './function-mutants.ts';
import { MUTANTS } from './mutants.ts';
import type { Mutant } from './mutants.ts';

export const command = new Command()
  .description(
    `Breaks each guarantee of docs/guarantees.md on purpose, one fault at a time, and runs the tests that must notice.
Fails if a fault stays unnoticed. It changes files of the working tree, which must be clean, and restores them.`,
  )
  .argument('[word]', 'only faults whose guarantee, description or file has this word')
  .option(
    '--functions <number>',
    'faults of the functions in Redis by chance; half of them may stay unnoticed',
    wholeNumber(1, 1000),
  )
  .option('--seed <number>', 'chooses these', wholeNumber(1, 99_999_999), 1)
  .action((word = '', { functions, seed }) => {
    const hasWord = ({ guarantee, what, file }: Mutant): boolean =>
      [guarantee, what, file].some((text) => text.toLowerCase().includes(word.toLowerCase()));
    const faults = (functions === undefined ? MUTANTS : functionMutants()).filter(hasWord);
    const chosen = functions === undefined ? faults : someOf(faults, functions, seed);
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

/** A failed test in the output of `npm test`. */
const FAILED_TEST = /^\s*FAILED\s+(\S+\.test\.ts): /;

/** Whether a test fails with the fault, and the tests of its file pass without. Prints which. */
function isNoticed({ guarantee, what, tests, moreTests, ...fault }: Mutant, say: (line: string) => void): boolean {
  const startedAt = performance.now();
  let failed = redTests(fault, tests);
  if (failed.length === 0 && moreTests !== undefined) failed = redTests(fault, moreTests);
  const isRed = failed.length > 0;
  say(
    `${isRed ? 'noticed  ' : 'UNNOTICED'} ${seconds(performance.now() - startedAt).padStart(8)}  ${guarantee}: ${what}`,
  );
  for (const line of failed.slice(0, 2)) say(`    ${line.trim()}`);
  return isRed;
}

/** Tests that fail with the fault only. Restores the file. */
function redTests({ file, from, to }: Pick<Mutant, 'file' | 'from' | 'to'>, tests: readonly string[]): string[] {
  const text = readFileSync(file, 'utf8');
  // A signal to the whole group ends the tests too, and this process only after it has restored the file.
  const ignore = (): void => undefined;
  process.on('SIGINT', ignore);
  let failed: string[];
  try {
    writeFileSync(
      file,
      text.replace(from, () => to),
    );
    failed = failedTests(tests);
  } finally {
    writeFileSync(file, text);
    process.off('SIGINT', ignore);
  }
  if (failed.length === 0) return [];
  const files = new Set(failed.map((line) => FAILED_TEST.exec(line)?.[1] ?? ''));
  return failedTests([...files]).length === 0 ? failed : [];
}

/** One fault may show in one of 500 runs of the simulation. */
const SIMULATION_RUNS = '1000';

function failedTests(tests: readonly string[]): string[] {
  const { stdout } = spawnSync(process.execPath, [...process.execArgv, 'scripts/mailhook.ts', 'test', ...tests], {
    env: { SIMULATION_RUNS, ...process.env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64_000_000,
  });
  return stdout.includes(UNLOADED) ? [] : stdout.split('\n').filter((line) => FAILED_TEST.test(line));
}
