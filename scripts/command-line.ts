import { parseArgs } from 'node:util';
import type { ParseArgsConfig } from 'node:util';
import { messageOf, UserError } from './user-error.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

/** Reads the flags of a command. @throws UserError that names the bad flag and where to find help. */
export const readFlags = <const Flags extends Options>(args: readonly string[], options: Flags, command: string) =>
  read(args, options, command, false).values;

/** Reads the flags and the other words of a command. @throws UserError like `readFlags`. */
export const readArguments = <const Flags extends Options>(args: readonly string[], options: Flags, command: string) =>
  read(args, options, command, true);

function read<const Flags extends Options>(
  args: readonly string[],
  options: Flags,
  command: string,
  allowPositionals: boolean,
) {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals });
  } catch (error) {
    const [first = ''] = messageOf(error).split(/\. (?=[A-Z])/);
    throw new UserError(`${first.replace(/\.$/, '')}. \`${command} --help\` lists the options.`);
  }
}

/** Reads a whole number from the command line. @throws UserError that names the flag and the range. */
export function wholeNumber(
  flag: string,
  text: string | undefined,
  range: { fallback: number; min: number; max: number },
): number {
  if (text === undefined) return range.fallback;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= range.min && value <= range.max) return value;
  throw new UserError(`--${flag} must be a whole number from ${range.min} to ${range.max}, but is "${text}".`);
}

/** Reads one of a few words from the command line. @throws UserError that names the flag and the words. */
export function oneOf<const Word extends string>(flag: string, text: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === text);
  if (found === undefined) throw new UserError(`--${flag} must be one of ${words.join(', ')}, but is "${text}".`);
  return found;
}
