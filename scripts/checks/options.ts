import { parseArgs } from 'node:util';
import { messageOf, UserError } from '../user-error.ts';
import { STAGES } from './stages.ts';
import type { Stage } from './stages.ts';

export const TEST_HELP = `npm test [-- options] [FILTER]

Everything a change must pass. Brings up Redis, MongoDB and Chromium by itself.

  --only unit,core   only these stages: ${STAGES.map(({ name }) => name).join(', ')}
  --verbose          show what every stage says, not only the failing ones
  --help             this text
  FILTER             only tests whose path matches, such as "mailbox" (runs no checks)
`;

export interface TestOptions {
  readonly stages: readonly Stage[];
  readonly filter: string | undefined;
  readonly isVerbose: boolean;
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
  // End-to-end tests run what was compiled.
  const build = STAGES.filter(({ name }) => name === 'build');
  const needsBuild = stages.some(({ name }) => name === 'end-to-end') && !stages.some(({ name }) => name === 'build');
  return {
    stages: needsBuild ? [...build, ...stages] : stages,
    filter,
    isVerbose: values.verbose,
    wantsHelp: values.help,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        only: { type: 'string' },
        verbose: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
  } catch (error) {
    throw new UserError(`${messageOf(error)} \`npm test -- --help\` lists the options.`);
  }
}
