import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import * as constants from './constants.ts';
import * as layout from './layout.ts';
import { LuaError, withFields } from './lua-fields.ts';

/** Text of a file in `lua/`, by its path there without `.lua`. */
export type ReadLua = (file: string) => string;

const FLAGS = /^--- @flags (.+)\n/;
const INCLUDE = /^--- @include ([\w-]+)$/gm;
const CONSTANTS = /^--- @constants (.+)$/gm;

/**
 * A library of Redis functions: the includes (each once, before its users), and one function per
 * command, whose name is that of the command's file and the suffix. @throws LuaError for a circle of includes, an
 * unknown constant or an unknown table.
 */
export function libraryText(name: string, suffix: string, commands: readonly string[], read: ReadLua): string {
  const includes = new Map<string, string>();
  const addIncludesOf = (text: string, users: readonly string[]): void => {
    for (const [, include = ''] of text.matchAll(INCLUDE)) {
      if (users.includes(include)) throw new LuaError(`${[...users, include].join(' includes ')}: a circle`);
      if (includes.has(include)) continue;
      const included = read(`includes/${include}`);
      addIncludesOf(included, [...users, include]);
      includes.set(include, included);
    }
  };
  addIncludesOf(`--- @include ${FIRST_INCLUDE}`, []);
  const functions = commands.map((command) => {
    const text = read(command);
    addIncludesOf(text, []);
    const [, flags] = FLAGS.exec(text) ?? [];
    const functionName = `${path.posix.basename(command).replaceAll('-', '_')}${suffix}`;
    return `command('${functionName}', {${flags === undefined ? '' : `'${flags}'`}}, function()\n${text}end)\n`;
  });
  const text = [...includes.values(), ...functions].join('');
  return `#!lua name=${name}\n${withConstants(constantsIn(text), withoutComments(withFields(text)))}`;
}

/** The include that defines `command`. */
const FIRST_INCLUDE = 'base';

const constantsIn = (text: string): string[] =>
  [...text.matchAll(CONSTANTS)].flatMap(([, list = '']) => list.split(', '));

/** Writes constants as their values, because a library has at most 200 local variables. @throws LuaError */
export function withConstants(names: readonly string[], code: string): string {
  if (names.length === 0) return code;
  const values = new Map(names.map((name) => [name, luaConstant(name)]));
  const found = new RegExp(`'[^'\\n]*'|\\b(?:${[...values.keys()].join('|')})\\b`, 'g');
  return code.replaceAll(found, (word) => values.get(word) ?? word);
}

const CONSTANTS_OF_LUA: Readonly<Record<string, unknown>> = { ...constants, ...layout };

function luaConstant(name: string): string {
  const value = CONSTANTS_OF_LUA[name];
  if (typeof value !== 'number' && typeof value !== 'string') throw new LuaError(`there is no constant ${name}`);
  return typeof value === 'number' ? String(value) : `'${value}'`;
}

/** Redis keeps the text of a library, so it gets no comments and no empty lines. */
export const withoutComments = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !/^\s*(--.*)?$/.test(line))
    .map((line) => `${line}\n`)
    .join('');

const texts = new Map<string, string>();
const { resolve } = createRequire(import.meta.url);

/**
 * Reads a file in `lua/` once. It finds them by the name of this package, so that compiled files and bundles find them
 * too.
 */
export function readLua(file: string): string {
  const text = texts.get(file) ?? readFileSync(resolve(`@mailhook/delivery/lua/${file}.lua`), 'utf8');
  texts.set(file, text);
  return text;
}
