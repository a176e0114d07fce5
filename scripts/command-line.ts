import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Command, InvalidArgumentError } from '@commander-js/extra-typings';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { UserError } from './user-error.ts';

/** A row of the table of commands. Only the command that runs is loaded, so that it starts soon. */
export interface CommandRow {
  /** Its line in `mailhook --help`. */
  readonly about: string;
  readonly load: () => Promise<{ readonly command: CommandUnknownOpts }>;
  /** Whether it needs the packages of development. */
  readonly needsAllPackages?: boolean;
  /** Whether it is for those who operate or release Mailhook. */
  readonly isForOperators?: boolean;
}

/**
 * Runs the command that the first argument names, and resolves when it has ended.
 *
 * @throws UserError if packages are missing.
 */
export async function runMailhook(
  table: Readonly<Record<string, CommandRow>>,
  args: readonly string[] = process.argv.slice(2),
): Promise<void> {
  const program = new Command('mailhook').helpCommand(false).usage('COMMAND [options]');
  for (const [name, { about, load, needsAllPackages = false, isForOperators = false }] of Object.entries(table)) {
    const isWanted = name === args[0];
    if (isWanted && needsAllPackages) requireAllPackages(name);
    const command = isWanted ? (await load()).command : new Command();
    command.name(name).summary(about);
    // Commander wraps the lines of a paragraph itself.
    command.description(command.description().replaceAll(/(?<!\n)\n(?!\n)/g, ' '));
    const group = isForOperators ? 'To operate and to release:' : 'Commands:';
    command.helpGroup(needsAllPackages ? 'With the packages of development:' : group);
    program.addCommand(command);
  }
  await program.parseAsync(args, { from: 'user' });
}

/** Without it, a missing package would only show as a stack trace. */
function requireAllPackages(name: string): void {
  if (existsSync('node_modules/jest')) return;
  throw new UserError(
    `\`mailhook ${name}\` needs all packages, also those of development: run \`npm ci\` without --omit=dev.`,
  );
}

/** A command that reads its arguments itself, also `--help`. */
export const commandOfArguments = (run: (args: readonly string[]) => void | Promise<void>) =>
  new Command().helpOption(false).allowUnknownOption().argument('[arguments...]').action(run);

/** A program of an installed package as a command. */
export const commandOfProgram = (file: string, ...first: readonly string[]) =>
  commandOfArguments((args) => {
    process.exitCode = spawnSync(process.execPath, [file, ...first, ...args], { stdio: 'inherit' }).status ?? 1;
  });

/** Reads the number of an option. */
export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
