import path from 'node:path';
import { readFlags, wholeNumber } from '../scripts/command-line.ts';
import { UserError } from '../scripts/user-error.ts';
import { figures } from './figures/all.ts';

export const BENCH_HELP = `npm run bench -- [--only NAME[,NAME...]] [--quick] [--rounds N] [--json FILE] [--profile DIR] [--list]

Measures Mailhook against its baselines, in processes of their own on this machine.

  --only      figures to run, by name or the beginning of one (--list names them)
  --quick     one round of smaller runs
  --rounds N  rounds that count (default 3, quick 1); medians are over rounds, losses and requests in flight are the worst round's
  --json FILE every run, with the commit and the command
  --page      writes this run's figures into docs/performance-data.md
  --page-from FILE  measures nothing: writes the figures of --json files into that page (may be repeated)
  --profile DIR  CPU profiles of the product's worker processes (node --cpu-prof); slower
  --list      the figures' names`;

export interface BenchOptions {
  readonly wantsHelp: boolean;
  readonly wantsList: boolean;
  /** Names of figures. Empty means all. */
  readonly only: readonly string[];
  readonly isQuick: boolean;
  readonly rounds: number;
  readonly jsonFile: string | undefined;
  readonly wantsPage: boolean;
  readonly pageFrom: readonly string[];
  readonly profileDir: string | undefined;
}

/** @throws UserError for an unusable flag. */
export function readBenchOptions(args: readonly string[]): BenchOptions {
  const flags = readFlags(
    args,
    {
      help: { type: 'boolean', short: 'h' },
      list: { type: 'boolean' },
      only: { type: 'string', multiple: true },
      quick: { type: 'boolean' },
      rounds: { type: 'string' },
      json: { type: 'string' },
      page: { type: 'boolean' },
      'page-from': { type: 'string', multiple: true },
      profile: { type: 'string' },
    },
    'npm run bench --',
  );
  const wanted = (flags.only ?? []).flatMap((names) => names.split(',')).filter((name) => name !== '');
  const isQuick = flags.quick ?? false;
  return {
    wantsHelp: flags.help ?? false,
    wantsList: flags.list ?? false,
    only: wanted.flatMap(namesOf),
    isQuick,
    rounds: wholeNumber('rounds', flags.rounds, { fallback: isQuick ? 1 : 3, min: 1, max: 100 }),
    jsonFile: flags.json === undefined ? undefined : path.resolve(flags.json),
    wantsPage: flags.page ?? false,
    pageFrom: (flags['page-from'] ?? []).map((file) => path.resolve(file)),
    profileDir: flags.profile === undefined ? undefined : path.resolve(flags.profile),
  };
}

/** Returns the command that repeats the measurement. */
export function commandOf({ only, isQuick, rounds }: BenchOptions): string {
  const figuresWanted = only.length > 0 ? [`--only ${only.join(',')}`] : [];
  return ['npm run bench --', ...figuresWanted, ...(isQuick ? ['--quick'] : []), `--rounds ${rounds}`].join(' ');
}

/** Returns the figure with this name, or the figures with names that begin with it. */
function namesOf(wanted: string): string[] {
  const names = figures.map(({ name }) => name);
  if (names.includes(wanted)) return [wanted];
  const found = names.filter((name) => name.startsWith(wanted));
  if (found.length > 0) return found;
  throw new UserError(`--only ${wanted} is no figure. There are: ${names.join(', ')}.`);
}
