import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as constants from './constants.ts';

/** Text of a file in `lua/`, by its path there without `.lua`. */
export type ReadLua = (file: string) => string;

export class LuaError extends Error {
  override readonly name = 'LuaError';
}

const FLAGS = /^--- @flags (.+)\n/;
const INCLUDE = /^--- @include ([\w-]+)$/gm;
const CONSTANTS = /^--- @constants (.+)$/gm;

/** The text of a command's file with its flags, its includes (each once, before its user) and the values of its constants. */
export function expandLua(file: string, read: ReadLua): string {
  const parts = new Map<string, string>();
  const add = (part: string, users: readonly string[]): void => {
    if (users.includes(part)) throw new LuaError(`${[...users, part].join(' includes ')}: a circle`);
    if (parts.has(part)) return;
    const text = read(part);
    for (const [, include = ''] of text.matchAll(INCLUDE)) add(`includes/${include}`, [...users, part]);
    parts.set(part, text);
  };
  add(file, []);
  const [, flags] = FLAGS.exec(read(file)) ?? [];
  const shebang = flags === undefined ? '' : `#!lua flags=${flags}\n`;
  return shebang + withConstants([...parts.values()].join(''));
}

const withConstants = (text: string): string =>
  text.replaceAll(CONSTANTS, (_, list: string) => {
    const names = list.split(', ');
    return `local ${list} = ${names.map(luaConstant).join(', ')}`;
  });

function luaConstant(name: string): string {
  const value = (constants as Readonly<Record<string, string | number>>)[name];
  if (value === undefined) throw new LuaError(`there is no constant ${name}`);
  return typeof value === 'number' ? String(value) : `'${value}'`;
}

/** Redis keeps the text of every script, so it gets no comments and no empty lines. */
export const withoutComments = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !/^\s*(--.*)?$/.test(line))
    .map((line) => `${line}\n`)
    .join('');

const texts = new Map<string, string>();
const { resolve } = createRequire(import.meta.url);

/** Reads a file in `lua/` once. It finds them by the name of this package, so that compiled files and bundles find them too. */
export function readLua(file: string): string {
  const text = texts.get(file) ?? readFileSync(resolve(`@mailhook/delivery/lua/${file}.lua`), 'utf8');
  texts.set(file, text);
  return text;
}
