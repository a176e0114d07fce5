import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { messageOf, UserError } from '../user-error.ts';
import { STAGES } from './stages.ts';
import type { Stage } from './stages.ts';

export const TEST_HELP = `npm test [-- options] [FILTER]

Everything a change must pass. Brings what it needs by itself: Redis, MongoDB, Chromium and smaller tools, as Debian's
packages if it may install them. Otherwise it says what is missing, and skips the tests that use it.

  --only unit,core   only these stages: ${STAGES.map(({ name }) => name).join(', ')}
  --changed          only tests that import a file changed since the branch left main, commits or not
                     (a changed file that no test imports, such as Lua or YAML, selects none)
  --verbose          show what every stage says, not only the failing ones
  --jitter           timers of tests and services fire late, by up to 30 ms or 20 %
  --seed N           random choices of the tests come from this number (1 if it is not given)
  --beside-load      two busy loops run beside the tests
  --help             this text
  FILTER             only tests whose path matches, such as "mailbox" (runs no checks)
`;

const SEEDS = 1_000_000_000;

export interface TestOptions {
  readonly stages: readonly Stage[];
  readonly filter: string | undefined;
  /** Only tests that import a file changed since this commit. */
  readonly changedSince: string | undefined;
  readonly isVerbose: boolean;
  /** Where the random choices of the tests and the jitter come from. */
  readonly seed: number;
  readonly hasJitter: boolean;
  readonly isBesideLoad: boolean;
  readonly wantsHelp: boolean;
}

/** @throws UserError */
export function readTestOptions(args: readonly string[]): TestOptions {
  const { values, positionals } = parse(args);
  const filter = positionals.length === 0 ? undefined : positionals.join('|');
  const only = values.only?.split(',').map((name) => name.trim());
  const unknown = only?.find((name) => STAGES.every((stage) => stage.name !== name));
  if (unknown !== undefined) {
    throw new UserError(`--only names no stage "${unknown}". There are ${STAGES.map(({ name }) => name).join(', ')}.`);
  }
  const stages = STAGES.filter(
    ({ name, isTestRun }) => (only?.includes(name) ?? true) && (filter === undefined || isTestRun),
  );
  return {
    stages,
    filter,
    changedSince: values.changed ? whereBranchLeftMain() : undefined,
    isVerbose: values.verbose,
    seed: seedOf(values.seed),
    hasJitter: values.jitter,
    isBesideLoad: values['beside-load'],
    wantsHelp: values.help,
  };
}

/** The last commit of main in this branch. On main it is the newest commit, so only changes without a commit count. */
function whereBranchLeftMain(): string {
  const { status, stdout, stderr } = spawnSync('git', ['merge-base', 'HEAD', 'main'], { encoding: 'utf8' });
  if (status !== 0) throw new UserError(`--changed needs git and the branch main: ${stderr.trim()}`);
  return stdout.trim();
}

function seedOf(seed: string): number {
  if (!/^\d{1,9}$/.test(seed)) throw new UserError(`--seed is "${seed}", but must be a whole number below ${SEEDS}.`);
  return Number(seed);
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        only: { type: 'string' },
        changed: { type: 'boolean', default: false },
        verbose: { type: 'boolean', default: false },
        jitter: { type: 'boolean', default: false },
        seed: { type: 'string', default: '1' },
        'beside-load': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
  } catch (error) {
    throw new UserError(`${messageOf(error)} \`npm test -- --help\` lists the options.`);
  }
}
