/** The Lua files of the mailbox, put together. Pure: the caller reads and writes the files. */

/** Text of each file, by path without `.lua`. Includes are below `includes/`. */
export type LuaFiles = ReadonlyMap<string, string>;

export interface LuaCommand {
  /** The name of the command in ioredis. */
  readonly name: string;
  /** Flags of the script, such as `allow-oom`. */
  readonly flags: string;
  /** Files in the order of their text, each once. The command's own file is the last. */
  readonly parts: readonly string[];
}

export class LuaError extends Error {
  override readonly name = 'LuaError';
}

const COMMAND = /^--- @command (\w+) ?(.*)$/m;
const INCLUDE = /^--- @include ([\w-]+)$/gm;
const CONSTANTS = /^--- @constants (.+)$/gm;

/** The command that a file defines. Throws a LuaError that names the file and the fault. */
export function readCommand(file: string, files: LuaFiles): LuaCommand {
  const [, name, flags = ''] = COMMAND.exec(textOf(file, files)) ?? [];
  if (name === undefined) throw new LuaError(`${file}.lua must begin with: --- @command NAME`);
  const parts: string[] = [];
  const add = (part: string, path: readonly string[]): void => {
    if (path.includes(part)) throw new LuaError(`${[...path, part].join(' includes ')}: a circle`);
    if (parts.includes(part)) return;
    for (const [, include = ''] of textOf(part, files).matchAll(INCLUDE)) add(`includes/${include}`, [...path, part]);
    parts.push(part);
  };
  add(file, []);
  return { name, flags, parts };
}

function textOf(file: string, files: LuaFiles): string {
  const text = files.get(file);
  if (text === undefined) throw new LuaError(`there is no ${file}.lua`);
  return text;
}

/** A file's text with the values of its constants. */
export function withConstants(text: string, constants: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(CONSTANTS, (_, list: string) => {
    const names = list.split(', ');
    const values = names.map((name) => {
      const value = constants[name];
      if (value === undefined) throw new LuaError(`there is no constant ${name}`);
      return typeof value === 'number' ? String(value) : `'${value}'`;
    });
    return `local ${names.join(', ')} = ${values.join(', ')}`;
  });
}

/** The text that Redis gets: without comments and empty lines. */
export const withoutComments = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !/^\s*(--.*)?$/.test(line))
    .map((line) => `${line}\n`)
    .join('');

/** The generated TypeScript file. */
export function generatedFile(files: LuaFiles, constants: Readonly<Record<string, string | number>>): string {
  const commands = commandFiles(files).map((file) => readCommand(file, files));
  const parts = [...files.keys()].sort().map((file) => {
    const text = withoutComments(withConstants(textOf(file, files), constants));
    return `  '${file}': \`${text.replaceAll(/[\\`]|\$\{/g, (found) => `\\${found}`)}\`,\n`;
  });
  const rows = commands.map(
    ({ name, flags, parts: list }) =>
      `  ${name}: { flags: '${flags}', parts: [${list.map((part) => `'${part}'`).join(', ')}] },\n`,
  );
  return `// Generated from the *.lua files in this folder by \`npm run lua\`. Do not edit.\n
export const PARTS = {\n${parts.join('')}} as const;\n
export const COMMANDS = {\n${rows.join('')}} as const satisfies Readonly<
  Record<string, { readonly flags: string; readonly parts: readonly (keyof typeof PARTS)[] }>
>;\n`;
}

export const commandFiles = (files: LuaFiles): string[] =>
  [...files.keys()].filter((file) => !file.startsWith('includes/')).sort();
