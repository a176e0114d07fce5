import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { randomInt } from 'node:crypto';
import { messageOf, UserError } from '../user-error.ts';
import { STAGES } from './stages.ts';
import type { Stage } from './stages.ts';

export const TEST_HELP = `npm test [-- options] [FILTER]

Everything a change must pass. Brings up Redis, MongoDB and Chromium by itself.

  --only unit,core   only these stages: ${STAGES.map(({ name }) => name).join(', ')}
  --changed          only tests that import a file changed since the branch left main, commits or not
                     (a changed file that no test imports, such as Lua or YAML, selects none)
  --verbose          show what every stage says, not only the failing ones
  --jitter           timers of tests and services fire late, by up to 30 ms or 20 %
  --seed N           repeats the jitter of an earlier run
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
  /** The seed of late timers. Undefined when timers are on time. */
  readonly jitterSeed: number | undefined;
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
    jitterSeed: jitterSeedOf(values),
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

/** Returns a new seed for each run with `--jitter`, unless `--seed` names one. */
function jitterSeedOf({ jitter, seed }: { jitter: boolean; seed?: string | undefined }): number | undefined {
  if (seed === undefined) return jitter ? randomInt(SEEDS) : undefined;
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
        seed: { type: 'string' },
        'beside-load': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
  } catch (error) {
    throw new UserError(`${messageOf(error)} \`npm test -- --help\` lists the options.`);
  }
}
