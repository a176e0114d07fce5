import { existsSync } from 'node:fs';
import { startBusyLoops, withLateTimers } from './disturbance.ts';
import { readTestOptions, TEST_HELP } from './options.ts';
import type { TestOptions } from './options.ts';
import { provideResources } from './resources.ts';
import type { Resources } from './resources.ts';
import { totalsLine, totalsOf } from './result.ts';
import type { StageResult } from './result.ts';
import type { Stage } from './stages.ts';
import { createTerminal, seconds } from '../terminal.ts';
import type { Terminal } from '../terminal.ts';
import { runCommand, UserError } from '../user-error.ts';

/** Two single-threaded stages use all cores of a small machine. */
const STAGES_AT_ONCE = 2;
const BUSY_LOOPS = 2;
/** Late timers, busy loops and the other users of a CI machine make tests slower but must not make them fail. */
const DISTURBED_SLOWDOWN = 4;

async function test(): Promise<void> {
  const terminal = createTerminal();
  const options = readTestOptions(process.argv.slice(2));
  if (options.wantsHelp) {
    terminal.line(TEST_HELP);
    return;
  }
  if (!existsSync('node_modules/jest'))
    throw new UserError('What the tests need is not installed, perhaps because of --omit=dev. Run `npm ci`.');
  const isCi = (process.env['CI'] ?? '') !== '' && process.env['CI'] !== 'false';
  const startedAt = performance.now();
  const needs = new Set(options.stages.flatMap((stage) => stage.needs));
  const resources = await provideResources(needs, process.env);
  const loops = startBusyLoops(options.isBesideLoad ? BUSY_LOOPS : 0);
  if (options.jitterSeed !== undefined) terminal.line(`Timers fire late: \`--jitter --seed ${options.jitterSeed}\``);
  const results: StageResult[] = [];
  try {
    const slowdown = isCi || options.isBesideLoad || options.jitterSeed !== undefined ? DISTURBED_SLOWDOWN : 1;
    results.push(...(await runStages(options, resources, slowdown, terminal)));
  } finally {
    await loops.stop();
    await resources.stop();
  }
  reportSkips(results, terminal);
  const totals = totalsOf(results, isCi);
  const isNothing = options.filter !== undefined && totals.passed + totals.failed + totals.skipped === 0;
  if (isNothing) throw new UserError(`No test's path matches "${options.filter}".`);
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
  const { filter, changedSince, jitterSeed } = options;
  const ownEnv = { ...resources.env, TEST_SLOWDOWN: String(slowdown) };
  const env = jitterSeed === undefined ? ownEnv : withLateTimers(ownEnv, jitterSeed);
  const runOne = async (stage: Stage): Promise<StageResult> => {
    terminal.progress(`  ${stage.name} ...`);
    const result = withMissing(
      await stage.run({ env: stage.isTestRun ? env : resources.env, filter, changedSince, slowdown }),
      stage,
      resources,
    );
    tell(result, options.isVerbose, terminal);
    return result;
  };
  const results: StageResult[] = [];
  const queue = options.stages.filter(({ runsAlone }) => !runsAlone);
  const lanes = Array.from({ length: STAGES_AT_ONCE }, async () => {
    for (let stage = queue.shift(); stage !== undefined; stage = queue.shift()) results.push(await runOne(stage));
  });
  await Promise.all(lanes);
  for (const stage of options.stages.filter(({ runsAlone }) => runsAlone)) results.push(await runOne(stage));
  return results;
}

/** Adds a skip for each unmet need of the stage. Skipped tests are listed too, but do not say why. */
function withMissing(result: StageResult, stage: Stage, { missing }: Resources): StageResult {
  const reasons = stage.needs.flatMap((need) => {
    const reason = missing.get(need);
    return reason === undefined ? [] : [`${stage.name}: what needs ${need} (${reason})`];
  });
  return { ...result, skipped: [...result.skipped, ...reasons] };
}

function tell(result: StageResult, isVerbose: boolean, terminal: Terminal): void {
  const isGood = result.failed === 0;
  const mark = terminal.styled(isGood ? 'green' : 'red', isGood ? 'ok    ' : 'FAILED');
  const counts = `${result.passed} passed${isGood ? '' : `, ${result.failed} failed`}`;
  terminal.line(`  ${mark}  ${result.name.padEnd(14)}${seconds(result.durationMs).padStart(8)}   ${counts}`);
  if ((isVerbose || !isGood) && result.output !== '') terminal.line(`\n${result.output}\n`);
}

function reportSkips(results: readonly StageResult[], terminal: Terminal): void {
  const skipped = results.flatMap((result) => result.skipped);
  if (skipped.length > 0) terminal.line(`\nNot run:\n${skipped.map((name) => `  ${name}`).join('\n')}`);
}

// Handles that a test left open must not delay the exit.
void runCommand(test).then(() => process.exit());
