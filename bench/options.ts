import path from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { wholeNumber } from '../scripts/command-line.ts';
import { UserError } from '../scripts/user-error.ts';
import { figures } from './figures/all.ts';

const pathOf = (file: string): string => path.resolve(file);

function addPath(file: string, others: readonly string[] = []): string[] {
  return [...others, pathOf(file)];
}

/** The command without its action. */
export const benchCommand = () =>
  new Command()
    .description('Measures Mailhook against its baselines, in processes of their own on this machine.')
    .option('--only <names>', 'figures to run, by name or the beginning of one (--list names them)', addFigures)
    .option('--quick', 'one round of smaller runs', false)
    .option(
      '--rounds <number>',
      'rounds that count (default: 3, with --quick 1), for medians; losses and requests in flight are the worst',
      wholeNumber(1, 100),
    )
    .option('--json <file>', 'every run, with the commit and the command', pathOf)
    .option('--page', "writes this run's figures into docs/performance-data.md", false)
    .option(
      '--page-from <file>',
      'measures nothing: writes the figures of --json files into that page (may be repeated)',
      addPath,
    )
    .option('--profile <folder>', "CPU profiles of the product's worker processes (node --cpu-prof); slower", pathOf)
    .option('--list', "the figures' names", false);

type Flags = ReturnType<ReturnType<typeof benchCommand>['opts']>;
export type BenchOptions = ReturnType<typeof withDefaults>;

export const withDefaults = ({ only = [], pageFrom = [], quick, rounds = quick ? 1 : 3, ...others }: Flags) => ({
  only,
  pageFrom,
  quick,
  rounds,
  ...others,
});

/** Returns the command that repeats the measurement. */
export function commandOf({ only, quick, rounds }: BenchOptions): string {
  const figuresWanted = only.length > 0 ? [`--only ${only.join(',')}`] : [];
  return ['npm run bench --', ...figuresWanted, ...(quick ? ['--quick'] : []), `--rounds ${rounds}`].join(' ');
}

/** Adds the figures of a list of names, or of beginnings of names. */
function addFigures(text: string, others: readonly string[] = []): string[] {
  return [
    ...others,
    ...text
      .split(',')
      .filter((name) => name !== '')
      .flatMap(namesOf),
  ];
}

/** Returns the figure with this name, or the figures with names that begin with it. */
function namesOf(wanted: string): string[] {
  const names = figures.map(({ name }) => name);
  if (names.includes(wanted)) return [wanted];
  const found = names.filter((name) => name.startsWith(wanted));
  if (found.length > 0) return found;
  throw new UserError(`--only ${wanted} is no figure. There are: ${names.join(', ')}.`);
}
