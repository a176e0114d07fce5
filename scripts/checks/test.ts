import { startBusyLoops, withLateTimers } from './disturbance.ts';
import { readTestOptions, TEST_HELP } from './options.ts';
import type { TestOptions } from './options.ts';
import { provideResources } from './resources.ts';
import type { Resources } from './resources.ts';
import { slowestFiles, totalsLine, totalsOf } from './result.ts';
import type { Failure } from './jest-results.ts';
import type { StageResult } from './result.ts';
import type { Stage, StageContext } from './stages.ts';
import { runProjects } from './stages.ts';
import { commandOfArguments } from '../command-line.ts';
import { createTerminal, seconds, shownPath } from '../terminal.ts';
import type { Terminal } from '../terminal.ts';
import { UserError } from '../user-error.ts';

/** Two single-threaded stages use all cores of a small machine. */
const STAGES_AT_ONCE = 2;
const BUSY_LOOPS = 2;
/**
 * All tests at once, late timers, busy loops and the other users of a machine make tests slower but must not make them
 * fail.
 */
const DISTURBED_SLOWDOWN = 4;
/** What runs beside the tests may get almost nothing of a busy machine. It then ends with them, not at its limit. */
const BACKGROUND_SLOWDOWN = 50;

export const command = commandOfArguments(test);

async function test(args: readonly string[]): Promise<void> {
  const terminal = createTerminal();
  const options = readTestOptions(args);
  if (options.wantsHelp) {
    terminal.line(TEST_HELP);
    return;
  }
  const isCi = (process.env['CI'] ?? '') !== '' && process.env['CI'] !== 'false';
  const startedAt = performance.now();
  const resources = await provideResources(options.stages, process.env, {
    isCi,
    say: (line) => terminal.line(line),
    isWhole: options.filter === undefined && options.changedSince === undefined,
  });
  const loops = startBusyLoops(options.isBesideLoad ? BUSY_LOOPS : 0);
  const results: StageResult[] = [];
  try {
    const { filter, isBesideLoad, hasJitter } = options;
    const isDisturbed = isCi || filter === undefined || isBesideLoad || hasJitter;
    const slowdown = isDisturbed ? DISTURBED_SLOWDOWN : 1;
    results.push(...(await runStages(options, resources, slowdown, terminal)));
  } finally {
    await loops.stop();
    await resources.stop();
  }
  const skipped = [...resources.skipped, ...results.flatMap((result) => result.skipped)];
  reportSkips(skipped, terminal);
  const totals = totalsOf(results, skipped.length, isCi);
  const isNothing = options.filter !== undefined && totals.passed + totals.failed + totals.skipped === 0;
  if (isNothing) throw new UserError(`No test's path matches "${options.filter}".`);
  reportSlowest(results, terminal);
  terminal.line(`\n${seconds(performance.now() - startedAt)} in all`);
  terminal.line(totalsLine(totals));
  process.exitCode = totals.failed > 0 ? 1 : 0;
}

async function runStages(
  options: TestOptions,
  resources: Resources,
  slowdown: number,
  terminal: Terminal,
): Promise<StageResult[]> {
  const { filter, changedSince, seed, hasJitter } = options;
  const ownEnv = { ...resources.env, TEST_SEED: String(seed) };
  const env = hasJitter ? withLateTimers(ownEnv, seed) : ownEnv;
  const results: StageResult[] = [];
  const finish = (result: StageResult | undefined): void => {
    if (result === undefined) return;
    results.push(result);
    tell(result, options.isVerbose, terminal);
  };
  const onFile = fileCounter(filter === undefined ? FILES_PER_LINE : 1, terminal);
  const contextOf = (isTestRun: boolean, whileTestsRun?: AbortSignal): StageContext => {
    const factor = whileTestsRun === undefined ? slowdown : slowdown * BACKGROUND_SLOWDOWN;
    return {
      filter,
      changedSince,
      slowdown: factor,
      whileTestsRun,
      env: isTestRun ? { ...env, TEST_SLOWDOWN: String(factor) } : resources.env,
      onFailure: (failure) => showFailure(failure, terminal),
      onFile,
    };
  };
  const runQueued = async (queue: Stage[], whileTestsRun?: AbortSignal): Promise<void> => {
    for (let stage = queue.shift(); stage !== undefined; stage = queue.shift()) {
      terminal.progress(`  ${stage.name} ...`);
      const found = (await stage.run?.(contextOf(stage.isTestRun, whileTestsRun))) ?? [];
      if (whileTestsRun?.aborted === true) {
        queue.unshift(stage);
        return;
      }
      for (const result of found) finish(result);
    }
  };
  const beside = resources.stages.filter(({ run, isBeforeTests }) => run !== undefined && isBeforeTests !== true);
  const projects = resources.stages.flatMap(({ run, name }) => (run === undefined ? [name] : []));
  await runQueued(resources.stages.filter(({ isBeforeTests }) => isBeforeTests === true));
  if (projects.length > 0) {
    const tests = new AbortController();
    await Promise.all([
      runProjects(projects, contextOf(true))
        .then((found) => {
          for (const result of found) finish(result);
        })
        .finally(() => tests.abort()),
      // Tests wait for a third of their time, in which one core can do all checks, one after the other.
      runQueued(beside, tests.signal),
    ]);
  }
  // On a busy machine no time was left, so what is not done starts again, now with the usual priority.
  await Promise.all(Array.from({ length: STAGES_AT_ONCE }, () => runQueued(beside)));
  return results;
}

/** A run of fewer files, such as one with a filter, does not list them. */
const SLOWEST_SHOWN = 10;
/** Without a terminal, one line after this many test files, if no filter selects them. */
const FILES_PER_LINE = 50;

/** Shows how many test files are done. */
function fileCounter(filesPerLine: number, terminal: Terminal): () => void {
  let files = 0;
  return () => {
    files += 1;
    const text = `  ${files} test files done ...`;
    if (terminal.isInteractive) terminal.progress(text);
    else if (files % filesPerLine === 0) terminal.line(text);
  };
}

/** A failed test may keep its file running for a long time, so its failure is shown when it happens. */
function showFailure({ path: file, name, text }: Failure, terminal: Terminal): void {
  terminal.line(`  ${terminal.styled('red', 'FAILED')}  ${shownPath(file)}: ${name}\n${text}\n`);
}

function tell(result: StageResult, isVerbose: boolean, terminal: Terminal): void {
  const isGood = result.failed === 0;
  const mark = terminal.styled(isGood ? 'green' : 'red', isGood ? 'ok    ' : 'FAILED');
  const time = result.durationMs === undefined ? '' : seconds(result.durationMs);
  const counts = `${result.passed} passed${isGood ? '' : `, ${result.failed} failed`}`;
  const { files } = result;
  const filesMs = files.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const inFiles = files.length === 0 ? '' : ` in ${files.length} files that took ${seconds(filesMs)}`;
  terminal.line(`  ${mark}  ${result.name.padEnd(14)}${time.padStart(8)}   ${counts}${inFiles}`);
  if ((isVerbose || !isGood) && result.output !== '') terminal.line(`\n${result.output}\n`);
}

function reportSlowest(results: readonly StageResult[], terminal: Terminal): void {
  const slowest = slowestFiles(results, SLOWEST_SHOWN);
  if (slowest.length < SLOWEST_SHOWN) return;
  const lines = slowest.map((file) => `  ${seconds(file.durationMs).padStart(8)}  ${shownPath(file.path)}`);
  terminal.line(`\nThe slowest test files:\n${lines.join('\n')}`);
}

function reportSkips(skipped: readonly string[], terminal: Terminal): void {
  if (skipped.length > 0) terminal.line(`\nNot run:\n${skipped.map((name) => `  ${name}`).join('\n')}`);
}
